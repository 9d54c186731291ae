#ifndef GARRAY_RESILIENT_ARRAY_HPP
#define GARRAY_RESILIENT_ARRAY_HPP
/* An array that outlives the units that have it, in a job that was started with DART_SURVIVE=1.
 *
 * A checkpoint copies each unit's elements, once beside them and once to another unit, its buddy, on another node if there
 * is one. After a loss the units that are left share the array as it was at the last checkpoint. As long as no unit is
 * lost together with its buddy nothing is missing.
 *
 * Here work() ends with a barrier, or with what else makes sure that no unit writes to another one's elements:
 *
 *   while (phase < nphases) {
 *     bool is_done = garray::unless_lost([&] { work(numbers.elements(), phase); });
 *     if (numbers.checkpoint(is_done))
 *       phase++;
 *     else
 *       numbers.recover();
 *   } */
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <dash/dart/ext/dart_near.h>
#include <dash/dart/ext/dart_survive.h>

#include "array.hpp"
#include "element.hpp"
#include "memory.hpp"
#include "runtime.hpp"

namespace garray
{

/** Whether no call of `f()` missed a unit that was lost. Other errors are thrown on. */
template <typename F> bool unless_lost(F f)
{
  try {
    f();
  } catch (const error &e) {
    if (e.code() != DART_ERR_UNIT_LOST)
      throw;
    return false;
  }
  return true;
}

/** A team of those that are left of another one. */
class shrunk_team
{
public:
  /** Collective over the members that are left. */
  explicit shrunk_team(const team &before)
  {
    check(dart_team_shrink(before.id(), &id_), "dart_team_shrink");
  }

  shrunk_team(const shrunk_team &)            = delete;
  shrunk_team &operator=(const shrunk_team &) = delete;

  /** Collective over the members that are left. */
  ~shrunk_team()
  {
    dart_team_destroy(&id_);
  }

  team get() const
  {
    return team(id_);
  }

private:
  dart_team_t id_ = DART_TEAM_NULL;
};

/** Whether `is_done` is true on all members, and none is lost. Collective; all get the same answer. */
inline bool agree(const team &members, bool is_done)
{
  std::uint64_t value = is_done ? 1 : 0;

  return unless_lost([&] { check(dart_team_agree(members.id(), &value), "dart_team_agree"); }) &&
         value != 0;
}

template <typename T> class resilient_array
{
public:
  /** Collective over all units: `size` elements, all T(), and saved so. */
  explicit resilient_array(std::size_t size) : size_(size)
  {
    recover();
  }

  /** The elements, over the units that are left; another object after recover(). */
  array<T> &elements() noexcept
  {
    return now_->elements;
  }

  const team &owners() const noexcept
  {
    return now_->elements.owners();
  }

  /** Save the elements if `is_done` on all units: whether all have. Collective over the units that are left. If not,
   *  all call recover(). */
  bool checkpoint(bool is_done = true)
  {
    is_done = is_done && unless_lost([&] { now_->save(1 - saved_); });
    if (!agree(owners(), is_done))
      return false;
    saved_ = 1 - saved_;
    return true;
  }

  /** Share the array, as it was saved last, among the units that are left. Collective over them. Throws on all of them
   *  if both copies of elements are lost. */
  void recover()
  {
    while (!try_to_recover()) {
    }
  }

private:
  /* The elements and their copies, over one team. */
  struct parts {
    parts(std::size_t size, const team &owners)
        : elements(size, owners), others{ of_all(size, owners), of_all(size, owners) },
          buddy(buddies(owners))
    {
    }

    static global_memory<T> of_all(std::size_t size, const team &owners)
    {
      return global_memory<T>(owners, block_pattern(size, owners.size()).local_capacity());
    }

    void save(int version)
    {
      const team       &owners = elements.owners();
      const std::size_t to     = buddy[owners.me()];

      own[version].assign(elements.local().begin(), elements.local().end());
      put(global_address<T>(others[version].base(), to, 0), own[version].data(),
          own[version].size());
    }

    array<T>                        elements;
    std::array<global_memory<T>, 2> others; /* of the unit whose buddy this one is */
    std::array<std::vector<T>, 2>   own;
    std::vector<std::size_t>        buddy; /* of each unit */
  };

  static void put(dart_gptr_t to, const T *from, std::size_t n)
  {
    check(dart_put_blocking(to, from, n * element<T>::count, element<T>::type, element<T>::type),
          "dart_put_blocking");
  }

  /* As many units further as the largest node has, in the order of nodes: on another node, unless most units are on
   * one. */
  static std::vector<std::size_t> buddies(const team &owners)
  {
    const std::size_t        n = owners.size();
    std::vector<int>         node(n); /* of each unit: the first unit of its node */
    std::vector<std::size_t> order(n), count(n), buddy(n);
    dart_team_unit_t         first;
    std::size_t              nnear, shift = 1;

    check(dart_team_near_units(owners.id(), 1, &first, &nnear), "dart_team_near_units");
    check(dart_allgather(&first.id, node.data(), 1, DART_TYPE_INT, owners.id()), "dart_allgather");
    std::iota(order.begin(), order.end(), std::size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t u, std::size_t v) { return node[u] < node[v]; });
    for (int leader : node)
      if (++count[static_cast<std::size_t>(leader)] < n)
        shift = std::max(shift, count[static_cast<std::size_t>(leader)]);
    if (nnear == n)
      shift = 1;
    for (std::size_t k = 0; k < n; k++)
      buddy[order[k]] = order[(k + shift) % n];
    return buddy;
  }

  /* Whether unit `u` of the team before is in `left`. */
  bool is_left(const team &left, std::size_t u) const
  {
    dart_global_unit_t global;
    dart_team_unit_t   now;

    check(
        dart_team_unit_l2g(owners().id(), DART_TEAM_UNIT_ID(static_cast<dart_unit_t>(u)), &global),
        "dart_team_unit_l2g");
    check(dart_team_unit_g2l(left.id(), global, &now), "dart_team_unit_g2l");
    return now.id >= 0;
  }

  void look_for_copies(const team &left) const
  {
    for (std::size_t u = 0; u < owners().size(); u++)
      if (!is_left(left, u) && !is_left(left, now_->buddy[u]))
        throw std::runtime_error("both copies of a block are lost");
  }

  /* Put the block that `unit` of the team before had to where its elements are now. */
  void share(array<T> &next, std::size_t unit, const T *block) const
  {
    const block_pattern &before = now_->elements.pattern(), &after = next.pattern();

    for (std::size_t l = 0; l < before.local_size(unit);) {
      const std::size_t i = before.global(unit, l);
      const std::size_t n = std::min(after.run(i), before.local_size(unit) - l);

      put(next[i].gptr(), block + l, n);
      l += n;
    }
  }

  /* Each unit shares its own block, and that of the unit whose buddy it was, if that is lost. */
  void restore(parts &next) const
  {
    const std::size_t me   = owners().me();
    const team       &left = next.elements.owners();

    share(next.elements, me, now_->own[saved_].data());
    for (std::size_t u = 0; u < owners().size(); u++)
      if (now_->buddy[u] == me && !is_left(left, u))
        share(next.elements, u, now_->others[saved_].local());
    left.barrier();
  }

  bool try_to_recover()
  {
    auto left = std::make_unique<shrunk_team>(now_ != nullptr ? owners() : team());
    std::unique_ptr<parts> next; /* goes before its team does */

    if (now_ != nullptr)
      look_for_copies(left->get());
    const bool is_done = unless_lost([&] {
      next = std::make_unique<parts>(size_, left->get());
      if (now_ != nullptr)
        restore(*next);
      next->save(1 - saved_);
    });
    if (!agree(left->get(), is_done))
      return false;
    saved_ = 1 - saved_;
    now_   = std::move(next);
    left_  = std::move(left);
    return true;
  }

  std::size_t                  size_;
  int                          saved_ = 1; /* the complete one of two versions */
  std::unique_ptr<shrunk_team> left_;
  std::unique_ptr<parts>       now_;
};

}  // namespace garray

#endif
