/* Heat spreads in a plate, of which every unit has a block: a stencil over a matrix with halos. While the halos are on
 * their way the inside of each block is computed, which needs none. The same is computed without units, and compared.
 *
 *   dartrun -n 4 ./heat */
#include <garray/halo_matrix.hpp>

#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include "expect.hpp"

using garray::halo_matrix;
using garray::team;
using index_t = std::ptrdiff_t;

namespace
{

constexpr std::size_t nrows = 37, ncols = 50;
constexpr int         nsteps = 12;

double at_start(std::size_t i, std::size_t j)
{
  return i == 0 ? 100.0 : static_cast<double>((i * 31 + j * 17) % 23);
}

/* What becomes of element (i, j): a part of the difference to the mean of its eight neighbours flows. */
template <typename Plate> double next(const Plate &plate, index_t i, index_t j)
{
  const double sides = plate(i - 1, j) + plate(i + 1, j) + plate(i, j - 1) + plate(i, j + 1);
  const double corners =
      plate(i - 1, j - 1) + plate(i - 1, j + 1) + plate(i + 1, j - 1) + plate(i + 1, j + 1);

  return plate(i, j) + 0.5 * ((2 * sides + corners) / 12 - plate(i, j));
}

/* ---- without units -------------------------------------------------------------------------- */

/* The plate with an edge of zeros around it, as a halo beyond the matrix is. */
class lone_plate
{
public:
  double &operator()(index_t i, index_t j)
  {
    return elements_[static_cast<std::size_t>(i + 1) * (ncols + 2) +
                     static_cast<std::size_t>(j + 1)];
  }

  double operator()(index_t i, index_t j) const
  {
    return const_cast<lone_plate &>(*this)(i, j);
  }

private:
  std::vector<double> elements_ = std::vector<double>((nrows + 2) * (ncols + 2));
};

lone_plate expected()
{
  lone_plate now, then;

  for (std::size_t i = 0; i < nrows; i++)
    for (std::size_t j = 0; j < ncols; j++)
      now(static_cast<index_t>(i), static_cast<index_t>(j)) = at_start(i, j);
  for (int step = 0; step < nsteps; step++, std::swap(now, then))
    for (index_t i = 0; i < static_cast<index_t>(nrows); i++)
      for (index_t j = 0; j < static_cast<index_t>(ncols); j++)
        then(i, j) = next(now, i, j);
  return now;
}

/* ---- with units ----------------------------------------------------------------------------- */

using plate = halo_matrix<double>;

void compute(const plate &now, plate &then, index_t from, index_t to, index_t left, index_t right)
{
  for (index_t i = from; i < to; i++)
    for (index_t j = left; j < right; j++)
      then(i, j) = next(now, i, j);
}

void step(plate &now, plate &then)
{
  const index_t m = now.local_nrows(), n = now.local_ncols();

  now.start();
  compute(now, then, 1, m - 1, 1, n - 1);
  now.finish();
  compute(now, then, 0, 1, 0, n);
  compute(now, then, m > 1 ? m - 1 : 1, m, 0, n);
  compute(now, then, 1, m - 1, 0, 1);
  compute(now, then, 1, m - 1, n > 1 ? n - 1 : 1, n);
}

void test_heat()
{
  plate            first(nrows, ncols, 1), second(nrows, ncols, 1);
  plate           *now = &first, *then = &second;
  const lone_plate alone = expected();

  for (index_t i = 0; i < now->local_nrows(); i++)
    for (index_t j = 0; j < now->local_ncols(); j++)
      (*now)(i, j) = at_start(now->first_row() + static_cast<std::size_t>(i),
                              now->first_col() + static_cast<std::size_t>(j));
  for (int k = 0; k < nsteps; k++, std::swap(now, then))
    step(*now, *then);
  for (index_t i = 0; i < now->local_nrows(); i++)
    for (index_t j = 0; j < now->local_ncols(); j++)
      EXPECT(std::abs((*now)(i, j) - alone(static_cast<index_t>(now->first_row()) + i,
                                           static_cast<index_t>(now->first_col()) + j)) < 1e-9);
  now->owners().barrier();
}

/* ---- every place of a wide halo ------------------------------------------------------------- */

/* Twelve bytes, no type of DART's: its row, its column, and how often it was changed. */
struct place {
  int row, col, round;
};

/* What the halo of width 3 holds after each of some exchanges: the neighbours' elements, and beyond the matrix what was
 * there. */
void test_places()
{
  constexpr index_t  width = 3;
  const team         all;
  const std::size_t  m = 3 * all.size() + 2, n = 4 * all.size() + 1;
  halo_matrix<place> places(m, n, width, all);
  const index_t      row = static_cast<index_t>(places.first_row());
  const index_t      col = static_cast<index_t>(places.first_col());

  for (int round = 1; round <= 3; round++) {
    for (index_t i = 0; i < places.local_nrows(); i++)
      for (index_t j = 0; j < places.local_ncols(); j++)
        places(i, j) = { static_cast<int>(row + i), static_cast<int>(col + j), round };
    places.exchange();
    for (index_t i = -width; i < places.local_nrows() + width; i++)
      for (index_t j = -width; j < places.local_ncols() + width; j++) {
        const index_t r = row + i, c = col + j;
        const bool    is_inside =
            r >= 0 && r < static_cast<index_t>(m) && c >= 0 && c < static_cast<index_t>(n);
        const place &seen = places(i, j);

        EXPECT(seen.row == (is_inside ? r : 0) && seen.col == (is_inside ? c : 0));
        EXPECT(seen.round == (is_inside ? round : 0));
      }
  }
  all.barrier();
}

void test_errors()
{
  const team all;
  bool       is_thrown = false;

  try {
    halo_matrix<int>(all.size() * 2, all.size() * 2, all.size() * 2 + 1, all);
  } catch (const std::invalid_argument &) {
    is_thrown = true;
  }
  EXPECT(is_thrown);
}

int test()
{
  test_heat();
  test_places();
  test_errors();
  return outcome("heat");
}

}  // namespace

int main(int argc, char **argv)
{
  return garray::run(argc, argv, test);
}
