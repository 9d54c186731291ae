/* An array that outlives units: in each phase all its elements move one place down, and add their new place. A unit of
 * those that still are there kills itself in phases that are drawn; the others take the phase again. The same is computed
 * without units, and compared.
 *
 *   DART_SURVIVE=1 dartrun -n 4 ./outlive [SEED [LOSSES]] */
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <garray/garray.hpp>

#include "expect.hpp"

using garray::array;
using garray::resilient_array;
using garray::team;

namespace
{

constexpr std::size_t size    = 1000;
constexpr int         nphases = 20;

unsigned    seed    = 1;
std::size_t nlosses = 1;

/* Who dies in which phase. */
struct victim {
  std::size_t unit;
  int         phase;
};

std::vector<victim> draw_victims(const team &all)
{
  std::mt19937        random(seed);
  std::vector<victim> victims(nlosses);

  for (victim &v : victims)
    v = { random() % all.size(), static_cast<int>(random() % nphases) };
  return victims;
}

/* The last element takes the place of the first. Between the barriers nobody writes. */
void work(array<long> &numbers)
{
  const team       &owners = numbers.owners();
  const std::size_t n      = numbers.local().size();
  const std::size_t after  = n > 0 ? (numbers.global(n - 1) + 1) % size : 0;
  std::vector<long> old(numbers.local().begin(), numbers.local().end());

  if (n > 0)
    old.push_back(numbers[after]);
  owners.barrier();
  for (std::size_t l = 0; l < n; l++)
    numbers.local()[l] = old[l + 1] + static_cast<long>(numbers.global(l));
  owners.barrier();
}

long expected(std::size_t i)
{
  long sum = 0;

  for (int phase = 0; phase < nphases; phase++)
    sum += static_cast<long>((i + static_cast<std::size_t>(phase)) % size);
  return sum;
}

int test()
{
  if (!dart_survives()) {
    if (team().me() == 0)
      std::fprintf(stderr, "outlive: start it with DART_SURVIVE=1 in the environment\n");
    return EXIT_FAILURE;
  }
  resilient_array<long>     numbers(size);
  const std::size_t         me      = team().me();
  const std::vector<victim> victims = draw_victims(team());

  for (int phase = 0; phase < nphases;) {
    for (const victim &v : victims)
      if (v.unit == me && v.phase == phase)
        std::raise(SIGKILL);
    if (numbers.checkpoint(garray::unless_lost([&] { work(numbers.elements()); })))
      phase++;
    else
      numbers.recover();
  }
  for (std::size_t l = 0; l < numbers.elements().local().size(); l++)
    EXPECT(numbers.elements().local()[l] == expected(numbers.elements().global(l)));
  return outcome("outlive", numbers.owners());
}

}  // namespace

int main(int argc, char **argv)
{
  if (argc > 1)
    seed = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
  if (argc > 2)
    nlosses = std::strtoul(argv[2], nullptr, 10);
  return garray::run(argc, argv, test);
}
