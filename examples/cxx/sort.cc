/* Numbers of all units are sorted, and compared with what std::stable_sort makes of them.
 *
 *   dartrun -n 4 ./sort */
#include <garray/algorithm.hpp>
#include <garray/array.hpp>
#include <garray/sort.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "expect.hpp"

using garray::array;
using garray::block_pattern;
using garray::cyclic_pattern;
using garray::team;

namespace
{

/* Numbers at random, the same on all units: the last step of SplitMix64. */
std::uint64_t random_of(std::uint64_t i)
{
  i = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
  i = (i ^ (i >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  i = (i ^ (i >> 27)) * UINT64_C(0x94d049bb133111eb);
  return i ^ (i >> 31);
}

/* A number to sort by, and where it was before. */
struct item {
  long        key;
  std::size_t place;

  friend bool operator==(const item &a, const item &b)
  {
    return a.key == b.key && a.place == b.place;
  }
};

bool by_key(const item &a, const item &b)
{
  return a.key < b.key;
}

/* Elements [from, to) of `size` numbers below `range` are sorted, the others stay. */
template <typename Pattern>
void test_sort(const team &all, std::size_t size, std::uint64_t range, std::size_t from,
               std::size_t to)
{
  array<item, Pattern> items(size, all);
  std::vector<item>    right(size), sorted(size);
  const auto           begin  = items.begin();
  const auto           offset = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };

  for (std::size_t i = 0; i < size; i++)
    right[i] = { static_cast<long>(random_of(i) % range), i };
  garray::for_each_index(begin, items.end(), [&](std::size_t i, item &e) { e = right[i]; });
  garray::sort(begin + offset(from), begin + offset(to), by_key);

  garray::copy(begin, items.end(), sorted.data());
  std::stable_sort(right.begin() + offset(from), right.begin() + offset(to), by_key);
  for (std::size_t i = 0; i < size; i++)
    EXPECT(sorted[i].key == right[i].key);
  if (std::is_same<Pattern, block_pattern>::value)
    EXPECT(sorted == right);
  std::sort(sorted.begin(), sorted.end(),
            [](const item &a, const item &b) { return a.place < b.place; });
  for (std::size_t i = 0; i < size; i++)
    EXPECT(sorted[i].place == i); /* each is there, once */
  all.barrier();
}

/* A basic type, downwards. */
void test_greater(const team &all)
{
  array<double> numbers(1000, all);

  garray::for_each_index(numbers.begin(), numbers.end(), [](std::size_t i, double &e) {
    e = static_cast<double>(random_of(i) % 1000) / 8;
  });
  garray::sort(numbers.begin(), numbers.end(), std::greater<double>());
  EXPECT(std::is_sorted(numbers.local().begin(), numbers.local().end(), std::greater<double>()));
  EXPECT(numbers[0] >= numbers[500] && numbers[500] >= numbers[999]);
  all.barrier();
}

int test()
{
  const team all;

  for (std::size_t size : { std::size_t(0), std::size_t(1), all.size() - 1, all.size() + 1,
                            std::size_t(17), std::size_t(5000) })
    for (std::uint64_t range : { UINT64_C(1), UINT64_C(3), UINT64_C(1) << 40 }) {
      test_sort<block_pattern>(all, size, range, 0, size);
      test_sort<cyclic_pattern>(all, size, range, size / 5, size - size / 7);
    }
  test_greater(all);
  return outcome("sort");
}

}  // namespace

int main(int argc, char **argv)
{
  return garray::run(argc, argv, test);
}
