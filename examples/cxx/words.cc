/* How often is each word there, and where first? All units insert their words into one hash map.
 *
 *   dartrun -n 4 ./words */
#include <garray/garray.hpp>
#include <garray/hash_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "expect.hpp"

using garray::hash_map;
using garray::team;

namespace
{

/* A word is copied as bytes: what lies behind its end is zero. */
struct word {
  char letters[16] = {};

  explicit word(std::string_view text = {})
  {
    text.copy(letters, sizeof letters - 1);
  }

  friend bool operator==(const word &a, const word &b)
  {
    return std::memcmp(a.letters, b.letters, sizeof a.letters) == 0;
  }
};

struct hash_of_word {
  std::size_t operator()(const word &w) const
  {
    return std::hash<std::string_view>()(std::string_view(w.letters, sizeof w.letters));
  }
};

/* Word i of a unit's text: some words are frequent, some are in one unit's text alone. */
std::string text(std::size_t unit, std::size_t i)
{
  return i % 3 != 0 ? "frequent" + std::to_string(i % 7)
                    : "rare" + std::to_string(unit) + "-" + std::to_string(i);
}

constexpr std::size_t nwords = 120; /* of each unit */

/* What the program below has to come to, by std::map. */
std::map<std::string, long> expected(std::size_t nunits)
{
  std::map<std::string, long> counts;

  for (std::size_t u = 0; u < nunits; u++)
    for (std::size_t i = 0; i < nwords; i++)
      counts[text(u, i)]++;
  return counts;
}

/* Counts by atomics: of the references that insert gives, none is waited for. */
void test_counts(const team &all)
{
  hash_map<word, long, hash_of_word> counts(2 * nwords * all.size(), all);
  const std::map<std::string, long>  right = expected(all.size());

  for (std::size_t i = 0; i < nwords; i++)
    counts.insert(word(text(all.me(), i)), 0).first.add(1);
  counts.barrier();
  for (const auto &[letters, count] : right) {
    const auto found = counts.find(word(letters));

    EXPECT(found && *found == count);
  }
  EXPECT(!counts.find(word("never")));

  unsigned long nlocal = 0, nkeys = 0;
  counts.for_each_local([&](const word &w, long count) {
    const auto found = right.find(w.letters);

    EXPECT(found != right.end() && found->second == count);
    nlocal++;
  });
  garray::check(dart_allreduce(&nlocal, &nkeys, 1, DART_TYPE_ULONG, DART_OP_SUM, all.id()),
                "dart_allreduce");
  EXPECT(nkeys == right.size());
}

/* All units insert the same keys at the same time: one of them does each, and all see its value. */
void test_same_keys(const team &all)
{
  constexpr int      nkeys = 50;
  hash_map<int, int> winners(20 * all.size() + 2 * nkeys, all);
  int                inserted = 0, sum = 0;

  for (int key = 0; key < nkeys; key++) {
    const auto [winner, is_mine] = winners.insert(key, key * 1000 + static_cast<int>(all.me()));
    const int value              = winner;

    inserted += is_mine;
    EXPECT(value / 1000 == key && value % 1000 < static_cast<int>(all.size()));
    EXPECT(!is_mine || value % 1000 == static_cast<int>(all.me()));
  }
  garray::check(dart_allreduce(&inserted, &sum, 1, DART_TYPE_INT, DART_OP_SUM, all.id()),
                "dart_allreduce");
  EXPECT(sum == nkeys);
}

/* Where a number was first seen, and how often: no type that DART has atomics for. */
struct record {
  std::size_t first;
  long        count;
  char        name[8];
};

void test_update(const team &all)
{
  constexpr int         nkeys = 5, nrounds = 20;
  hash_map<int, record> records(40 * all.size(), all);

  for (int round = 0; round < nrounds; round++)
    for (int key = 0; key < nkeys; key++) {
      records.insert(key, { SIZE_MAX, 0, "none" });
      EXPECT(records.update(key, [&](record &r) {
        r.first = std::min(r.first, all.me());
        r.count++;
        std::strcpy(r.name, "seen");
      }));
    }
  EXPECT(!records.update(nkeys, [](record &) {}));
  records.barrier();
  for (int key = 0; key < nkeys; key++) {
    const record r = *records.find(key);

    EXPECT(r.first == 0 && r.count == nrounds * static_cast<long>(all.size()));
    EXPECT(std::strcmp(r.name, "seen") == 0);
  }
  all.barrier();
}

/* One unit fills it until some unit's part is full; what was inserted before stays. */
void test_full(const team &all)
{
  hash_map<long, long> small(4 * all.size(), all);
  long                 n = 0;

  if (all.me() == all.size() - 1) {
    try {
      for (;; n++)
        small.insert(n, -n);
    } catch (const std::length_error &) {
      EXPECT(n >= 5 && n <= 5 * static_cast<long>(all.size()));
    }
    for (long key = 0; key < n; key++)
      EXPECT(*small.find(key) == -key);
  }
  small.barrier();
}

int test()
{
  const team all;

  test_counts(all);
  test_same_keys(all);
  test_update(all);
  test_full(all);
  return outcome("words");
}

}  // namespace

int main(int argc, char **argv)
{
  return garray::run(argc, argv, test);
}
