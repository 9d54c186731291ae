#ifndef GARRAY_HALO_MATRIX_HPP
#define GARRAY_HALO_MATRIX_HPP
/* A matrix in blocks, one for each unit of a grid of units, and around each block room for copies of the elements
 * beyond its edges: the halo. A stencil is computed by plain loads and stores then, and the halos are exchanged in
 * between.
 *
 * Every unit puts the elements along its edges and corners into its neighbours' halos, in place: a type says how they lie,
 * here as there (dart_type_create_strided). With each put goes a flag that says so (dart_put_notify_op), and the
 * receiver waits for its flags alone, for no other unit (dart_wait_word_all). Before, each unit sets a flag at its
 * neighbours that says that it has no more use for what is in its halo. A flag is set to the number of the exchange, so
 * none has to be reset. */
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include <dash/dart/ext/dart_notify.h>
#include <dash/dart/ext/dart_wait_word.h>
#include <dash/dart/if/dart.h>

#include "element.hpp"
#include "memory.hpp"
#include "runtime.hpp"

namespace garray
{

namespace detail
{

/* n indices in `nparts` parts of nearly the same size: where part k starts. */
inline std::size_t part_start(std::size_t n, std::size_t nparts, std::size_t k) noexcept
{
  return n / nparts * k + std::min(n % nparts, k);
}

/* The most rows of units that make a full grid and are no more than its columns. */
inline std::size_t grid_rows(std::size_t nunits) noexcept
{
  std::size_t rows = 1;

  for (std::size_t r = 1; r * r <= nunits; r++)
    if (nunits % r == 0)
      rows = r;
  return rows;
}

}  // namespace detail

template <typename T>
class halo_matrix
{
public:
  using index = std::ptrdiff_t;

  /** Collective over `owners`, as the destructor is: all elements and halos are T(). `width` is that of the halo, in
   *  elements, the same on all sides. Throws std::invalid_argument if a unit would have fewer rows or columns. */
  halo_matrix(std::size_t nrows, std::size_t ncols, std::size_t width, const team &owners = team())
      : owners_(owners), nrows_(nrows), ncols_(ncols), width_(width),
        grid_rows_(detail::grid_rows(owners.size())), grid_cols_(owners.size() / grid_rows_),
        mine_(block_of(owners.me())), pitch_(ncols / grid_cols_ + 1 + 2 * width),
        memory_(owners, fitting() * pitch_), flags_(owners, 2 * ndirections),
        along_row_(row_type(mine_.ncols)), at_edge_(row_type(width))
  {
    for (std::size_t d = 0; d < ndirections; d++)
      if (has_neighbour(d))
        neighbours_.push_back(d);
  }

  std::size_t nrows() const noexcept
  {
    return nrows_;
  }

  std::size_t ncols() const noexcept
  {
    return ncols_;
  }

  /** The caller's block: how many rows and columns it has, and where in the matrix they start. */
  index local_nrows() const noexcept
  {
    return static_cast<index>(mine_.nrows);
  }

  index local_ncols() const noexcept
  {
    return static_cast<index>(mine_.ncols);
  }

  std::size_t first_row() const noexcept
  {
    return mine_.row;
  }

  std::size_t first_col() const noexcept
  {
    return mine_.col;
  }

  const team &owners() const noexcept
  {
    return owners_;
  }

  /** Element (i, j) of the caller's block. From -width to -1, and from local_nrows() or local_ncols() on, it is one of
   *  the halo: a copy of a neighbour's element, or, beyond the matrix, what the program has stored there. */
  T &operator()(index i, index j) noexcept
  {
    return memory_.local()[offset(i, j)];
  }

  const T &operator()(index i, index j) const noexcept
  {
    return memory_.local()[offset(i, j)];
  }

  /** Start to send what neighbours need. The caller has no more use for what is in its halo, and changes none of its
   *  elements within `width` of an edge, until finish(). All units of the team call, each as often as all others; waits
   *  until the neighbours have called, too. */
  void start()
  {
    exchange_++;
    for (const std::size_t d : neighbours_)
      check(dart_notify_op(flag(neighbour(d), is_free, opposite(d)), exchange_, DART_OP_REPLACE),
            "dart_notify_op");
    for (const std::size_t d : neighbours_) {
      check(dart_wait_word(flag(owners_.me(), is_free, d), DART_TYPE_UINT64, DART_WAIT_GE,
                           &exchange_, -1),
            "dart_wait_word");
      send(d);
    }
  }

  /** Wait for what neighbours send: the halo has copies of their elements then. */
  void finish()
  {
    std::vector<dart_gptr_t>         flags;
    const std::vector<std::uint64_t> exchanges(neighbours_.size(), exchange_);

    for (const std::size_t d : neighbours_)
      flags.push_back(flag(owners_.me(), is_filled, d));
    if (!flags.empty())
      check(dart_wait_word_all(flags.data(), flags.size(), DART_TYPE_UINT64, DART_WAIT_GE,
                               exchanges.data(), -1),
            "dart_wait_word_all");
    check(dart_flush_local_all(memory_.base()), "dart_flush_local_all");
  }

  void exchange()
  {
    start();
    finish();
  }

private:
  /* Directions are numbered row by row: north-west 0, north 1, ... south-east 8. 4 is the block itself. */
  static constexpr std::size_t ndirections = 9;

  static constexpr int row_step(std::size_t d) noexcept
  {
    return static_cast<int>(d / 3) - 1;
  }

  static constexpr int col_step(std::size_t d) noexcept
  {
    return static_cast<int>(d % 3) - 1;
  }

  static constexpr std::size_t opposite(std::size_t d) noexcept
  {
    return ndirections - 1 - d;
  }

  struct block {
    std::size_t row, nrows, col, ncols;
  };

  block block_of(std::size_t unit) const noexcept
  {
    const std::size_t r = unit / grid_cols_, c = unit % grid_cols_;
    const std::size_t row = detail::part_start(nrows_, grid_rows_, r);
    const std::size_t col = detail::part_start(ncols_, grid_cols_, c);

    return { row, detail::part_start(nrows_, grid_rows_, r + 1) - row, col,
             detail::part_start(ncols_, grid_cols_, c + 1) - col };
  }

  /* Rows of memory that every unit has: those of the largest block, and the halo's. */
  std::size_t fitting() const
  {
    if (width_ == 0 || nrows_ / grid_rows_ < width_ || ncols_ / grid_cols_ < width_)
      throw std::invalid_argument("a block of the matrix is narrower than its halo");
    return nrows_ / grid_rows_ + 1 + 2 * width_;
  }

  bool has_neighbour(std::size_t d) const noexcept
  {
    const index r = static_cast<index>(owners_.me() / grid_cols_) + row_step(d);
    const index c = static_cast<index>(owners_.me() % grid_cols_) + col_step(d);

    return d != opposite(d) && r >= 0 && r < static_cast<index>(grid_rows_) && c >= 0 &&
           c < static_cast<index>(grid_cols_);
  }

  std::size_t neighbour(std::size_t d) const noexcept
  {
    return static_cast<std::size_t>(static_cast<index>(owners_.me()) +
                                    row_step(d) * static_cast<index>(grid_cols_) + col_step(d));
  }

  /* Rows lie `pitch_` elements apart, on all units. */
  std::size_t offset(index i, index j) const noexcept
  {
    const index w = static_cast<index>(width_);

    return static_cast<std::size_t>((i + w) * static_cast<index>(pitch_) + j + w);
  }

  detail::derived_type row_type(std::size_t n) const
  {
    return detail::derived_type(element<T>::type, pitch_ * element<T>::count,
                                n * element<T>::count);
  }

  enum flag_kind : std::size_t { is_free, is_filled };

  /* The flag that the neighbour in direction d sets at `unit`. */
  dart_gptr_t flag(std::size_t unit, flag_kind kind, std::size_t d) const noexcept
  {
    return global_address<std::uint64_t>(flags_.base(), unit, kind * ndirections + d);
  }

  /* Along one axis: the first of the caller's elements that a neighbour in this direction needs, how many these are, and
   * where they start there. `n` and `there` are the sizes of both blocks. */
  struct strip {
    index       first;
    std::size_t n;
    index       there;
  };

  strip strip_of(int step, std::size_t n, std::size_t there) const noexcept
  {
    const index w = static_cast<index>(width_);

    if (step < 0)
      return { 0, width_, static_cast<index>(there) };
    return step > 0 ? strip{ static_cast<index>(n) - w, width_, -w } : strip{ 0, n, 0 };
  }

  void send(std::size_t d)
  {
    const std::size_t     unit  = neighbour(d);
    const block           there = block_of(unit);
    const strip           rows  = strip_of(row_step(d), mine_.nrows, there.nrows);
    const strip           cols  = strip_of(col_step(d), mine_.ncols, there.ncols);
    const dart_datatype_t type  = col_step(d) == 0 ? along_row_.id : at_edge_.id;

    check(dart_put_notify_op(
              global_address<T>(memory_.base(), unit, offset(rows.there, cols.there)),
              &(*this)(rows.first, cols.first), rows.n * cols.n * element<T>::count, type, type,
              flag(unit, is_filled, opposite(d)), exchange_, DART_OP_REPLACE),
          "dart_put_notify_op");
  }

  team                         owners_;
  std::size_t                  nrows_, ncols_, width_, grid_rows_, grid_cols_;
  block                        mine_;
  std::size_t                  pitch_; /* elements from a row to the next in memory */
  global_memory<T>             memory_;
  global_memory<std::uint64_t> flags_; /* [2][ndirections] */
  detail::derived_type         along_row_, at_edge_;
  std::vector<std::size_t>     neighbours_;
  std::uint64_t                exchange_ = 0;
};

}  // namespace garray

#endif
