#ifndef GARRAY_ALGORITHM_HPP
#define GARRAY_ALGORITHM_HPP
/* Algorithms over ranges of a global array.
 *
 * for_each, fill and accumulate are collective over the array's team, with the same range on every
 * unit: each unit works on the elements of the range that it owns, through plain pointers. They end
 * with a barrier, or a reduction, so what one of them wrote the next one sees, on any unit.
 *
 * copy and copy_async move a range from or to the memory of the one unit that calls them. */
#include <algorithm>
#include <cstddef>
#include <functional>
#include <type_traits>

#include <dash/dart/if/dart.h>

#include "iterator.hpp"
#include "memory.hpp"
#include "runtime.hpp"

namespace garray
{

/** The part of [first, last) that this unit owns. `start` is the position of its first element in
 *  the memory of the unit: element k of the part has the index pattern.global(me, start + k). */
template <typename T>
struct local_part {
  local_span<T> elements;
  std::size_t   start;
  team          owners;
};

template <typename T, typename Pattern>
local_part<T> local_of(const global_iterator<T, Pattern> &first,
                       const global_iterator<T, Pattern> &last)
{
  const team        owners(first.base().teamid);
  const std::size_t start = first.pattern().local_before(owners.me(), first.index());
  const std::size_t end   = last.pattern().local_before(owners.me(), last.index());
  T *const          data  = local_address<T>(first.base(), owners.me());

  return { { data + start, end - start }, start, owners };
}

/** Collective. Every owner calls f(index, element) for its elements of the range, in ascending
 *  order of their indices. */
template <typename T, typename Pattern, typename F>
void for_each_index(global_iterator<T, Pattern> first, global_iterator<T, Pattern> last, F f)
{
  const local_part<T> part = local_of(first, last);

  for (std::size_t k = 0; k < part.elements.size(); k++)
    f(first.pattern().global(part.owners.me(), part.start + k), part.elements[k]);
  part.owners.barrier();
}

/** Collective. The same with f(element). */
template <typename T, typename Pattern, typename F>
void for_each(global_iterator<T, Pattern> first, global_iterator<T, Pattern> last, F f)
{
  const local_part<T> part = local_of(first, last);

  std::for_each(part.elements.begin(), part.elements.end(), std::ref(f));
  part.owners.barrier();
}

/** Collective. Set all elements of the range to `value`. */
template <typename T, typename Pattern>
void fill(global_iterator<T, Pattern> first, global_iterator<T, Pattern> last, const T &value)
{
  const local_part<T> part = local_of(first, last);

  std::fill(part.elements.begin(), part.elements.end(), value);
  part.owners.barrier();
}

namespace detail
{

/* What a unit has to contribute to a reduction: nothing, if it owns no element of the range. */
template <typename U>
struct partial {
  U    value;
  bool filled;
};

/* inout = in op inout, as DART asks for it: `in` comes from units further to the left. */
template <typename U, typename Op>
void combine(const void *in, void *inout, std::size_t n, void *op) noexcept
{
  const partial<U> *const left  = static_cast<const partial<U> *>(in);
  partial<U> *const       right = static_cast<partial<U> *>(inout);

  for (std::size_t i = 0; i < n; i++)
    if (left[i].filled && right[i].filled)
      right[i].value = (*static_cast<Op *>(op))(left[i].value, right[i].value);
    else if (left[i].filled)
      right[i] = left[i];
}

/* An operator of DART, for as long as this lives. */
struct custom_op {
  /* Not commutative: units are combined in their order. */
  custom_op(dart_operator_t function, void *data, const derived_type &type)
  {
    check(dart_op_create(function, data, false, type.id, true, &id), "dart_op_create");
  }
  custom_op(const custom_op &)            = delete;
  custom_op &operator=(const custom_op &) = delete;
  ~custom_op()
  {
    dart_op_destroy(&id);
  }

  dart_operation_t id;
};

}  // namespace detail

/** Collective. init op e_0 op e_1 op ..., the same on all units. `op` is associative and does not
 *  throw; elements convert to U. Every unit combines its own elements in ascending order, then the
 *  units' results are combined in the order of the units: over a block_pattern the order of the
 *  elements is kept, and `op` need not be commutative. Over a cyclic one it must be. */
template <typename T, typename Pattern, typename U, typename Op = std::plus<U>>
U accumulate(global_iterator<T, Pattern> first, global_iterator<T, Pattern> last, U init,
             Op op = Op())
{
  static_assert(std::is_trivially_copyable<U>::value, "results are copied as bytes between units");
  using partial = detail::partial<U>;

  const local_part<T>        part = local_of(first, last);
  const detail::derived_type type(sizeof(partial));
  const detail::custom_op    sum(detail::combine<U, Op>, &op, type);
  partial                    mine{ init, false }, all{ init, false };

  for (const T &element : part.elements) {
    mine.value  = mine.filled ? op(mine.value, static_cast<U>(element)) : static_cast<U>(element);
    mine.filled = true;
  }
  check(dart_allreduce(&mine, &all, 1, type.id, sum.id, part.owners.id()), "dart_allreduce");
  return all.filled ? op(init, all.value) : init;
}

namespace detail
{

/* f(where, n) for every piece of [first, last) that is contiguous in one unit's memory. */
template <typename T, typename Pattern, typename F>
void for_each_run(global_iterator<T, Pattern> first, global_iterator<T, Pattern> last, F f)
{
  while (first != last) {
    const std::size_t n = std::min(first.pattern().run(first.index()),
                                   static_cast<std::size_t>(last - first));

    f(first.gptr(), n);
    first += static_cast<std::ptrdiff_t>(n);
  }
}

}  // namespace detail

/** Start fetching the range into `destination`, which has room for it. */
template <typename T, typename Pattern>
transfer copy_async(global_iterator<T, Pattern> first, global_iterator<T, Pattern> last,
                    std::remove_const_t<T> *destination)
{
  transfer pieces;

  detail::for_each_run(first, last, [&](dart_gptr_t from, std::size_t n) {
    pieces.get(destination, from, n);
    destination += n;
  });
  return pieces;
}

/** Start sending [first, last) to the elements from `destination` on. */
template <typename T, typename Pattern>
transfer copy_async(const T *first, const T *last, global_iterator<T, Pattern> destination)
{
  transfer pieces;

  detail::for_each_run(destination, destination + (last - first),
                       [&](dart_gptr_t to, std::size_t n) {
                         pieces.put(to, first, n);
                         first += n;
                       });
  return pieces;
}

/** Fetch the range into `destination`; returns the end of what was written there. */
template <typename T, typename Pattern>
std::remove_const_t<T> *copy(global_iterator<T, Pattern> first, global_iterator<T, Pattern> last,
                             std::remove_const_t<T> *destination)
{
  copy_async(first, last, destination).wait();
  return destination + (last - first);
}

/** Send [first, last) to the elements from `destination` on; returns the end of what was written.
 *  Complete on return: whoever is told of it sees the values. */
template <typename T, typename Pattern>
global_iterator<T, Pattern> copy(const T *first, const T *last,
                                 global_iterator<T, Pattern> destination)
{
  copy_async(first, last, destination).wait();
  return destination + (last - first);
}

}  // namespace garray

#endif
