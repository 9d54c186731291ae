#ifndef GARRAY_MATRIX_HPP
#define GARRAY_MATRIX_HPP
/* A matrix in the memory of all units of a team, and computations on it by the rule "the owner
 * computes": every unit computes the elements it owns of the result, and fetches what it needs.
 *
 * Whole rows belong to a unit; a pattern over their indices says which. Within a unit's memory rows
 * follow each other, and the elements of a row too. */
#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include <dash/dart/if/dart.h>

#include "algorithm.hpp"
#include "memory.hpp"
#include "pattern.hpp"
#include "reference.hpp"
#include "runtime.hpp"

namespace garray
{

template <typename T, typename RowPattern = block_pattern>
class matrix
{
public:
  using value_type = T;

  /** Collective over `owners`, as the destructor is: all elements are T(). */
  matrix(std::size_t nrows, std::size_t ncols, const team &owners = team())
      : owners_(owners), rows_(nrows, owners.size()), ncols_(ncols),
        memory_(owners, product(rows_.local_capacity(), ncols))
  {
  }

  std::size_t nrows() const noexcept
  {
    return rows_.size();
  }

  std::size_t ncols() const noexcept
  {
    return ncols_;
  }

  /** The pattern of the rows. */
  const RowPattern &rows() const noexcept
  {
    return rows_;
  }

  const team &owners() const noexcept
  {
    return owners_;
  }

  /** The element in row i, column j, wherever it is. */
  global_ref<T> operator()(std::size_t i, std::size_t j) noexcept
  {
    return global_ref<T>(gptr(i, j));
  }

  global_ref<const T> operator()(std::size_t i, std::size_t j) const noexcept
  {
    return global_ref<const T>(gptr(i, j));
  }

  /** How many rows this unit owns. */
  std::size_t local_nrows() const noexcept
  {
    return rows_.local_size(owners_.me());
  }

  /** This unit's row l < local_nrows(), which is row global_row(l) of the matrix. */
  local_span<T> local_row(std::size_t l) noexcept
  {
    return { memory_.local() + l * ncols_, ncols_ };
  }

  local_span<const T> local_row(std::size_t l) const noexcept
  {
    return { memory_.local() + l * ncols_, ncols_ };
  }

  std::size_t global_row(std::size_t l) const noexcept
  {
    return rows_.global(owners_.me(), l);
  }

  /** Start fetching row i, whoever owns it; `destination` has room for ncols() elements. */
  transfer get_row_async(std::size_t i, T *destination) const
  {
    transfer row;

    row.get(destination, gptr(i, 0), ncols_);
    return row;
  }

  std::vector<T> get_row(std::size_t i) const
  {
    std::vector<T> row(ncols_);

    get_row_async(i, row.data()).wait();
    return row;
  }

  /** Element j of row l of `unit`. */
  dart_gptr_t gptr_of(std::size_t unit, std::size_t l, std::size_t j) const noexcept
  {
    return global_address<T>(memory_.base(), unit, l * ncols_ + j);
  }

  dart_gptr_t gptr(std::size_t i, std::size_t j) const noexcept
  {
    return gptr_of(rows_.unit(i), rows_.local(i), j);
  }

private:
  team             owners_;
  RowPattern       rows_;
  std::size_t      ncols_;
  global_memory<T> memory_;
};

/** Collective. Every owner calls f(i, j, element) for its elements, row by row. */
template <typename T, typename RowPattern, typename F>
void for_each_index(matrix<T, RowPattern> &a, F f)
{
  for (std::size_t l = 0; l < a.local_nrows(); l++) {
    const local_span<T> row = a.local_row(l);

    for (std::size_t j = 0; j < a.ncols(); j++)
      f(a.global_row(l), j, row[j]);
  }
  a.owners().barrier();
}

/** Collective. c = a * b. The rows of a and c are distributed alike, those of b may be otherwise,
 *  and c is neither a nor b. Every unit goes once through all of b, and fetches the next row while
 *  it computes with this one. */
template <typename T, typename RowPattern, typename OtherPattern>
void multiply(const matrix<T, RowPattern> &a, const matrix<T, OtherPattern> &b,
              matrix<T, RowPattern> &c)
{
  if (a.ncols() != b.nrows() || a.nrows() != c.nrows() || b.ncols() != c.ncols())
    throw std::invalid_argument("the sizes of the matrices do not fit a product");
  if (a.rows() != c.rows() || a.owners().id() != c.owners().id())
    throw std::invalid_argument("the rows of factor and product are distributed differently");

  for (std::size_t l = 0; l < c.local_nrows(); l++)
    std::fill(c.local_row(l).begin(), c.local_row(l).end(), T());

  std::vector<T> row(b.ncols()), next(b.ncols());
  transfer       coming;

  if (b.nrows() > 0)
    b.get_row_async(0, row.data()).wait();
  for (std::size_t k = 0; k < b.nrows(); k++) {
    if (k + 1 < b.nrows())
      coming = b.get_row_async(k + 1, next.data());
    for (std::size_t l = 0; l < c.local_nrows(); l++) {
      const T             factor = a.local_row(l)[k];
      const local_span<T> result = c.local_row(l);

      for (std::size_t j = 0; j < c.ncols(); j++)
        result[j] += factor * row[j];
    }
    coming.wait();
    row.swap(next);
  }
  c.owners().barrier();
}

/** Collective. b = a transposed; b is not a. A row of a becomes a column of b, of which every unit
 *  owns some elements: these are sent at once, to places that are b.ncols() elements apart. */
template <typename T, typename RowPattern, typename OtherPattern>
void transpose(const matrix<T, RowPattern> &a, matrix<T, OtherPattern> &b)
{
  if (a.nrows() != b.ncols() || a.ncols() != b.nrows())
    throw std::invalid_argument("the transposed matrix has other sizes");
  if (a.owners().id() != b.owners().id())
    throw std::invalid_argument("both matrices belong to one team");
  if (a.nrows() == 0 || a.ncols() == 0) {
    b.owners().barrier();
    return;
  }

  const detail::derived_type column(element<T>::type, b.ncols() * element<T>::count,
                                    element<T>::count);
  std::vector<T>             row(a.ncols()); /* sorted by the owner of the element in b */

  for (std::size_t l = 0; l < a.local_nrows(); l++) {
    transfer  parts;
    T        *part = row.data();

    for (std::size_t unit = 0; unit < b.rows().nunits(); unit++) {
      const std::size_t n = b.rows().local_size(unit);

      for (std::size_t k = 0; k < n; k++)
        part[k] = a.local_row(l)[b.rows().global(unit, k)];
      parts.put(b.gptr_of(unit, 0, a.global_row(l)), part, n, column.id);
      part += n;
    }
    parts.wait();
  }
  b.owners().barrier();
}

}  // namespace garray

#endif
