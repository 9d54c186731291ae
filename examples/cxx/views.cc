/* Own elements, and those of units of the node, as std::span and as ranges: C++20.
 *
 *   dartrun -n 4 ./views */
#include <garray/algorithm.hpp>
#include <garray/array.hpp>

#include "expect.hpp"

#if __has_include(<span>) && __has_include(<ranges>)
#include <algorithm>
#include <numeric>
#include <ranges>
#include <span>
#endif

#if defined(__cpp_lib_span) && defined(__cpp_lib_ranges)

using garray::array;
using garray::team;

namespace
{

static_assert(std::ranges::contiguous_range<garray::local_span<int>>);
static_assert(std::ranges::view<garray::local_span<const int>>);

/* As any function that knows nothing of units. */
long sum_of(std::span<const long> values)
{
  return std::accumulate(values.begin(), values.end(), 0L);
}

int test()
{
  const team        all;
  const std::size_t n = 10 * all.size() + 3;
  array<long>       numbers(n, all);

  std::span<long> mine = numbers.local();

  for (std::size_t l = 0; l < mine.size(); l++)
    mine[l] = static_cast<long>(n - numbers.global(l)); /* descending */
  std::ranges::sort(numbers.local());
  EXPECT(std::ranges::is_sorted(mine));
  all.barrier();

  /* A near unit's elements are read in place, a far one's are fetched: the sums agree. */
  std::size_t nnear = 0;
  for (std::size_t u = 0; u < all.size(); u++) {
    const std::size_t           first = numbers.pattern().global(u, 0);
    std::vector<long>           copy(numbers.pattern().local_size(u));
    const std::span<const long> near = numbers.near(u);

    if (!copy.empty())
      garray::copy(std::as_const(numbers).begin() + static_cast<std::ptrdiff_t>(first),
                   std::as_const(numbers).begin() +
                       static_cast<std::ptrdiff_t>(first + copy.size()),
                   copy.data());
    EXPECT(near.data() == nullptr || near.size() == copy.size());
    EXPECT(near.data() == nullptr || sum_of(near) == sum_of(copy));
    EXPECT(u != all.me() || near.data() == mine.data());
    nnear += near.data() != nullptr;
  }
  EXPECT(nnear >= 1);

  /* Algorithms of the standard library over what is this unit's, as a range. */
  const auto is_odd = [](long value) { return value % 2 != 0; };
  EXPECT(std::ranges::count_if(numbers.local(), is_odd) ==
         std::count_if(mine.begin(), mine.end(), is_odd));
  EXPECT(mine.empty() || std::ranges::max(numbers.local()) == mine.back());
  all.barrier();
  return outcome("views");
}

}  // namespace

#else

static int test()
{
  return outcome("views, but for this library's lack of std::span and ranges,");
}

#endif

int main(int argc, char **argv)
{
  return garray::run(argc, argv, test);
}
