#ifndef GARRAY_SORT_HPP
#define GARRAY_SORT_HPP
/* Sorting a range of a global array, by sampling.
 *
 * Every unit sorts its elements and shows as many samples as there are units, at regular distances. All units choose
 * the same splitters from the samples, and every element goes straight to the unit between whose splitters it lies,
 * once. There the sorted pieces of all units are merged, and copied to where the bucket belongs in the range.
 * (Li, Lu, Schaeffer, Shillington, Wong, Shi: On the versatility of parallel sorting by regular sampling, Parallel
 * Computing 19, 1993.)
 *
 * Equal elements are told apart by where they were, so many of them are no more work for one unit than any others,
 * and over a block_pattern, of which units own ranges in their order, the sort is stable. */
#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

#include <dash/dart/if/dart.h>

#include "algorithm.hpp"
#include "element.hpp"
#include "iterator.hpp"
#include "memory.hpp"
#include "runtime.hpp"

namespace garray
{

namespace detail
{

/** Collective. The values of all units, one after the other in their order; each gives as many. */
template <typename T>
std::vector<T> gather_all(const std::vector<T> &mine, const team &owners)
{
  std::vector<T> all(mine.size() * owners.size());

  check(dart_allgather(mine.data(), all.data(), mine.size() * element<T>::count, element<T>::type,
                       owners.id()),
        "dart_allgather");
  return all;
}

/* An element, and where it was: its unit, and its place among the unit's sorted elements. */
template <typename T>
struct sample {
  T           value;
  std::size_t unit, place;
  bool        is_there; /* a unit with few elements has fewer samples */
};

/* The samples at regular distances of all units, in ascending order. */
template <typename T, typename Less>
std::vector<sample<T>> sorted_samples(const local_span<T> &mine, const team &owners, Less less)
{
  std::vector<sample<T>> samples(owners.size());

  for (std::size_t k = 0; k < samples.size(); k++) {
    const std::size_t place = mine.size() * k / samples.size();

    if (k < mine.size())
      samples[k] = { mine[place], owners.me(), place, true };
  }
  samples = gather_all(samples, owners);
  samples.erase(std::remove_if(samples.begin(), samples.end(),
                               [](const sample<T> &s) { return !s.is_there; }),
                samples.end());
  std::stable_sort(samples.begin(), samples.end(),
                   [=](const sample<T> &a, const sample<T> &b) { return less(a.value, b.value); });
  return samples;
}

/* Where the caller's sorted elements are cut: those from [u] to [u + 1] are for unit u. */
template <typename T, typename Less>
std::vector<std::size_t> cuts(const local_span<T> &mine, const team &owners, Less less)
{
  const std::vector<sample<T>> samples = sorted_samples(mine, owners, less);
  std::vector<std::size_t>     cut(owners.size() + 1, samples.empty() ? 0 : mine.size());

  cut[0] = 0;
  for (std::size_t u = 1; u < owners.size() && !samples.empty(); u++) {
    const sample<T> &splitter = samples[samples.size() * u / owners.size()];
    const T         *at       = mine.begin() + splitter.place;

    if (owners.me() < splitter.unit) /* own elements that equal the splitter come before it */
      at = std::upper_bound(mine.begin(), mine.end(), splitter.value, less);
    else if (owners.me() > splitter.unit)
      at = std::lower_bound(mine.begin(), mine.end(), splitter.value, less);
    cut[u] = static_cast<std::size_t>(at - mine.begin());
  }
  return cut;
}

/* Merge neighbouring runs of [0, start.back()) that begin at start[], pair by pair. */
template <typename T, typename Less>
void merge_runs(T *values, const std::vector<std::size_t> &start, Less less)
{
  const std::size_t n = start.size() - 1;

  for (std::size_t width = 1; width < n; width *= 2)
    for (std::size_t u = 0; u + width < n; u += 2 * width)
      std::inplace_merge(values + start[u], values + start[u + width],
                         values + start[std::min(u + 2 * width, n)], less);
}

/* How many elements go from where to where: an entry for each pair of units, the same on all. */
class exchange_plan
{
public:
  exchange_plan(const std::vector<std::size_t> &cut, const team &owners) : nunits_(owners.size())
  {
    std::vector<std::size_t> sent(nunits_);

    for (std::size_t u = 0; u < nunits_; u++)
      sent[u] = cut[u + 1] - cut[u];
    counts_ = gather_all(sent, owners);
  }

  /** Where the pieces from units 0, 1, ... start in what unit `to` receives, and, at last, its end. */
  std::vector<std::size_t> starts(std::size_t to) const
  {
    std::vector<std::size_t> start(nunits_ + 1);

    for (std::size_t from = 0; from < nunits_; from++)
      start[from + 1] = start[from] + counts_[from * nunits_ + to];
    return start;
  }

private:
  std::size_t              nunits_;
  std::vector<std::size_t> counts_; /* [from][to] */
};

}  // namespace detail

/** Collective, with the same range on all units: sort it, so that less(b, a) is false for no a before b. Stable over a
 *  block_pattern. Needs as much memory again, on each unit for at most about twice its share, where the units' shares are
 *  alike. `less` does not throw. */
template <typename T, typename Pattern, typename Less = std::less<T>>
void sort(global_iterator<T, Pattern> first, global_iterator<T, Pattern> last, Less less = Less())
{
  static_assert(!std::is_const<T>::value, "these elements may only be read");
  const local_part<T> part   = local_of(first, last);
  const team         &owners = part.owners;

  std::stable_sort(part.elements.begin(), part.elements.end(), less);
  const std::vector<std::size_t> cut = detail::cuts(part.elements, owners, less);
  const detail::exchange_plan    plan(cut, owners);

  std::size_t largest = 0,
              before  = 0; /* the largest bucket; elements of those before its own one */
  for (std::size_t u = 0; u < owners.size(); u++) {
    const std::size_t size = plan.starts(u).back();

    largest = std::max(largest, size);
    before += u < owners.me() ? size : 0;
  }

  global_memory<T> buckets(owners, largest);
  transfer         sent;
  for (std::size_t u = 0; u < owners.size(); u++)
    if (cut[u + 1] > cut[u])
      sent.put(global_address<T>(buckets.base(), u, plan.starts(u)[owners.me()]),
               part.elements.data() + cut[u], cut[u + 1] - cut[u]);
  sent.wait();
  owners.barrier();

  const std::vector<std::size_t> start = plan.starts(owners.me());
  const T *const                 mine  = buckets.local();
  detail::merge_runs(buckets.local(), start, less);
  copy(mine, mine + start.back(), first + static_cast<std::ptrdiff_t>(before));
  owners.barrier();
}

}  // namespace garray

#endif
