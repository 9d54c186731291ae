/* Copies that the program goes on during: every unit goes through the elements of all others, and computes with one
 * block while the next one is on its way. Then results are sent, and taken in the order in which they are complete.
 *
 *   dartrun -n 4 ./futures */
#include <garray/algorithm.hpp>
#include <garray/array.hpp>
#include <garray/future.hpp>

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "expect.hpp"

using garray::array;
using garray::future;
using garray::team;

namespace
{

constexpr std::size_t block = 500, blocks_of_unit = 4; /* elements; blocks */

using numbers = std::vector<long>;

long value_of(std::size_t i)
{
  return static_cast<long>(7 * i + 3);
}

/* Block b of all; `all_numbers` has whole blocks. */
future<numbers> fetch_block(const array<long> &all_numbers, std::size_t b)
{
  const auto first = all_numbers.begin() + static_cast<std::ptrdiff_t>(b * block);

  return garray::fetch(first, first + static_cast<std::ptrdiff_t>(block));
}

/* Two blocks are there at a time: one is added up, one is on its way. Every unit starts with its right neighbour's. */
void test_pipeline(const array<long> &all_numbers)
{
  const std::size_t nblocks = all_numbers.size() / block;
  const std::size_t start   = (all_numbers.owners().me() + 1) * blocks_of_unit;
  long              sum     = 0;
  future<numbers>   next    = fetch_block(all_numbers, start % nblocks);

  for (std::size_t b = 0; b < nblocks; b++) {
    const numbers now = next.get();

    if (b + 1 < nblocks)
      next = fetch_block(all_numbers, (start + b + 1) % nblocks);
    EXPECT(now.front() == value_of((start + b) % nblocks * block));
    sum = std::accumulate(now.begin(), now.end(), sum);
  }
  const long n = static_cast<long>(all_numbers.size());

  EXPECT(sum == 7 * (n * (n - 1) / 2) + 3 * n);
  EXPECT(!next.valid());
}

/* One element of every unit, taken in whatever order they come. */
void test_any(const array<long> &all_numbers)
{
  const std::size_t         per_unit = block * blocks_of_unit;
  std::vector<future<long>> coming;
  std::vector<int>          taken(all_numbers.owners().size());

  for (std::size_t u = 0; u < taken.size(); u++)
    coming.push_back(garray::fetch(all_numbers[u * per_unit + 5]));
  for (auto one = coming.begin(); (one = wait_any(coming.begin(), coming.end())) != coming.end();) {
    const auto u = static_cast<std::size_t>(one - coming.begin());

    EXPECT(one->get() == value_of(u * per_unit + 5));
    taken[u]++;
  }
  for (const int times : taken)
    EXPECT(times == 1);
}

/* Each unit sends a block to its right neighbour, and gets the memory back to send the next one from. */
void test_send(array<long> &all_numbers)
{
  const team       &owners   = all_numbers.owners();
  const std::size_t per_unit = block * blocks_of_unit;
  const std::size_t right    = (owners.me() + 1) % owners.size();
  const std::size_t left     = (owners.me() + owners.size() - 1) % owners.size();
  numbers           values(block);

  for (std::size_t b = 0; b < blocks_of_unit; b++) {
    const auto to = all_numbers.begin() + static_cast<std::ptrdiff_t>(right * per_unit + b * block);

    std::iota(values.begin(), values.end(), static_cast<long>(owners.me() * 100000 + b * block));
    future<numbers> sent = garray::send(std::move(values), to);
    future<numbers> moved(std::move(sent));

    EXPECT(moved.valid() && !sent.valid());
    values = moved.get();
    EXPECT(values.size() == block && moved.is_ready());
  }
  owners.barrier();
  for (std::size_t l = 0; l < per_unit; l++)
    EXPECT(all_numbers.local()[l] == static_cast<long>(left * 100000 + l));
}

/* What is never asked for is complete with the future's end, and memory that is still read or written is not freed. */
void test_end(array<long> &all_numbers)
{
  const std::size_t per_unit = block * blocks_of_unit;
  const std::size_t right    = (all_numbers.owners().me() + 1) % all_numbers.owners().size();
  const auto        to       = all_numbers.begin() + static_cast<std::ptrdiff_t>(right * per_unit);

  garray::send(numbers(block, -1), to);
  garray::fetch(to, to + static_cast<std::ptrdiff_t>(block));
  future<numbers> replaced = garray::send(numbers(block, -2), to + block);

  replaced = garray::send(numbers(block, -3), to + 2 * block);
  replaced = future<numbers>();
  all_numbers.owners().barrier();
  for (std::size_t l = 0; l < 3 * block; l++)
    EXPECT(all_numbers.local()[l] == -1 - static_cast<long>(l / block));
}

int test()
{
  const team  all;
  array<long> all_numbers(all.size() * block * blocks_of_unit, all);

  garray::for_each_index(all_numbers.begin(), all_numbers.end(),
                         [](std::size_t i, long &element) { element = value_of(i); });
  test_pipeline(all_numbers);
  test_any(all_numbers);
  all.barrier();
  test_send(all_numbers);
  all.barrier();
  test_end(all_numbers);
  return outcome("futures");
}

}  // namespace

int main(int argc, char **argv)
{
  return garray::run(argc, argv, test);
}
