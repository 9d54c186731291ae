/* The test of garray: what its headers promise, on any number of units.
 *
 *   dartrun -n 4 ./garray-test          all of it, twice: DART starts and ends two times
 *   dartrun -n 4 ./garray-test throw    the last unit throws, and all units end
 *
 * Values say where they belong, so that a wrong one tells where it came from. */
#include <garray/garray.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "expect.hpp"

using garray::array;
using garray::block_pattern;
using garray::cyclic_pattern;
using garray::matrix;
using garray::team;

namespace
{

/* Twelve bytes, no type of DART's. */
struct triple {
  int x, y, z;

  friend bool operator==(const triple &a, const triple &b)
  {
    return a.x == b.x && a.y == b.y && a.z == b.z;
  }
};

/* Element i of any test array. */
template <typename T> T value_of(std::size_t i)
{
  return static_cast<T>(3 * i + 7);
}

template <> triple value_of<triple>(std::size_t i)
{
  const int v = value_of<int>(i);

  return { v, -v, v / 2 };
}

/* x -> a x + b, modulo a prime. Composing two is associative, and the order matters. */
struct affine {
  unsigned long a, b;

  static constexpr unsigned long prime = 1000003;

  static affine of(std::size_t i)
  {
    return { i % 97 + 2, i };
  }

  friend bool operator==(const affine &f, const affine &g)
  {
    return f.a == g.a && f.b == g.b;
  }
};

affine then(const affine &f, const affine &g)
{
  return { f.a * g.a % affine::prime, (f.b * g.a + g.b) % affine::prime };
}

/* Sizes that divide among units in every way: none, fewer than units, as many, one more, odd. */
std::vector<std::size_t> sizes(const team &all)
{
  return { 0, 1, all.size() > 1 ? all.size() - 1 : 2, all.size(), all.size() + 1, 17, 103 };
}

/* ---- patterns ------------------------------------------------------------------------------ */

/* Element by element, by the definition: unit() says who owns it, and each unit counts its own. */
template <typename Pattern> void test_pattern(const Pattern &pattern)
{
  std::vector<std::size_t> owned(pattern.nunits());

  for (std::size_t i = 0; i < pattern.size(); i++) {
    const std::size_t unit = pattern.unit(i);

    EXPECT(unit < pattern.nunits());
    EXPECT(pattern.local(i) == owned[unit]);
    EXPECT(pattern.global(unit, owned[unit]) == i);
    for (std::size_t u = 0; u < pattern.nunits(); u++)
      EXPECT(pattern.local_before(u, i) == owned[u]);
    owned[unit]++;

    EXPECT(pattern.run(i) >= 1 && i + pattern.run(i) <= pattern.size());
    for (std::size_t k = 0; k < pattern.run(i); k++) {
      EXPECT(pattern.unit(i + k) == unit);
      EXPECT(pattern.local(i + k) == pattern.local(i) + k);
    }
  }
  for (std::size_t u = 0; u < pattern.nunits(); u++) {
    EXPECT(pattern.local_size(u) == owned[u]);
    EXPECT(pattern.local_capacity() >= owned[u]);
  }
}

void test_patterns()
{
  for (std::size_t size : { 0u, 1u, 2u, 5u, 12u, 13u, 24u, 41u })
    for (std::size_t nunits : { 1u, 2u, 3u, 5u, 8u }) {
      test_pattern(block_pattern(size, nunits));
      for (std::size_t block : { 1u, 2u, 3u, 7u, 50u })
        test_pattern(cyclic_pattern(size, nunits, block));
    }
}

/* ---- arrays -------------------------------------------------------------------------------- */

template <typename T, typename Pattern>
array<T, Pattern> filled(const Pattern &pattern, const team &owners)
{
  array<T, Pattern> numbers(pattern, owners);

  garray::for_each_index(numbers.begin(), numbers.end(),
                         [](std::size_t i, T &element) { element = value_of<T>(i); });
  return numbers;
}

template <typename T, typename Pattern> void test_access(const Pattern &pattern, const team &owners)
{
  array<T, Pattern> numbers(pattern, owners);

  /* New elements are T(), and local() has all that are this unit's, in order. */
  EXPECT(numbers.local().size() == pattern.local_size(owners.me()));
  for (const T &element : numbers.local())
    EXPECT(element == T());
  owners.barrier();
  for (std::size_t l = 0; l < numbers.local().size(); l++)
    numbers.local()[l] = value_of<T>(numbers.global(l));
  owners.barrier();

  /* Everybody reads all. */
  const array<T, Pattern> &constant = numbers;
  for (std::size_t i = 0; i < numbers.size(); i++) {
    EXPECT(static_cast<T>(constant[i]) == value_of<T>(i));
    EXPECT(numbers.is_local(i) == (pattern.unit(i) == owners.me()));
  }
  owners.barrier();

  /* Each element is written by the unit after its owner, through a reference. */
  for (std::size_t i = 0; i < numbers.size(); i++)
    if ((pattern.unit(i) + 1) % owners.size() == owners.me())
      numbers[i] = value_of<T>(i + 1000);
  owners.barrier();
  for (std::size_t l = 0; l < numbers.local().size(); l++)
    EXPECT(constant.local()[l] == value_of<T>(numbers.global(l) + 1000));
  owners.barrier();

  /* Assigning one reference to another copies the element. */
  if (numbers.size() > 1) {
    if (owners.me() == owners.size() - 1)
      numbers[0] = numbers[numbers.size() - 1];
    owners.barrier();
    EXPECT(static_cast<T>(numbers[0]) == value_of<T>(numbers.size() - 1 + 1000));
  }
}

/* Moving an array moves the memory; iterators stay valid. */
void test_move(const team &owners)
{
  auto       first = filled<int>(block_pattern(20, owners.size()), owners);
  const auto at    = first.begin() + 19;
  auto       second(std::move(first));

  EXPECT(*at == value_of<int>(19));
  second = filled<int>(block_pattern(31, owners.size()), owners);
  EXPECT(second.size() == 31 && second[30] == value_of<int>(30));
}

template <typename Pattern> void test_iterators(const Pattern &pattern, const team &owners)
{
  auto       numbers = filled<int>(pattern, owners);
  const auto begin = numbers.begin(), end = numbers.end();
  auto       it = begin;

  EXPECT(static_cast<std::size_t>(end - begin) == pattern.size());
  EXPECT((begin == end) == numbers.empty() && !(begin > end) && begin <= end && end >= begin);
  for (std::size_t i = 0; i < pattern.size(); i++, ++it) {
    EXPECT(it.index() == i && it != end && it < end);
    EXPECT(*it == value_of<int>(i) && begin[static_cast<std::ptrdiff_t>(i)] == value_of<int>(i));
  }
  EXPECT(it == end);
  if (!numbers.empty()) {
    EXPECT(*--it == value_of<int>(pattern.size() - 1));
    EXPECT(*it++ == value_of<int>(pattern.size() - 1) && it-- == end);
    EXPECT(*(1 + (it - 1)) == *it && (it -= 1) + 1 == end - 1);
  }

  /* The standard library: read by everybody, written by the last unit. */
  const typename array<int, Pattern>::const_iterator first = begin, last = end;
  const int                                          sum = 7 * static_cast<int>(pattern.size()) +
                  3 * static_cast<int>(pattern.size() * (pattern.size() + 1) / 2 - pattern.size());
  EXPECT(std::accumulate(first, last, 0) == sum);
  for (std::size_t i = 0; i < pattern.size(); i++) {
    EXPECT(std::lower_bound(first, last, value_of<int>(i)) - first ==
           static_cast<std::ptrdiff_t>(i));
    EXPECT(std::find(first, last, value_of<int>(i)).index() == i);
  }
  owners.barrier();
  if (owners.me() == owners.size() - 1) {
    std::reverse(begin, end);
    EXPECT(std::is_sorted(first, last, std::greater<int>()));
    std::sort(begin, end);
  }
  owners.barrier();
  for (std::size_t l = 0; l < numbers.local().size(); l++)
    EXPECT(numbers.local()[l] == value_of<int>(numbers.global(l)));
}

/* ---- algorithms ---------------------------------------------------------------------------- */

/* Ranges from everywhere to everywhere touch what is in them and nothing else. */
template <typename Pattern> void test_ranges(const Pattern &pattern, const team &owners)
{
  auto             numbers = filled<long>(pattern, owners);
  const long       size    = static_cast<long>(pattern.size());
  const long       step    = size < 20 ? 1 : size / 4 - 1;
  std::vector<int> visited(pattern.size());

  for (long from = 0; from <= size; from += step)
    for (long to = from; to <= size; to += step) {
      long sum = 0;

      garray::for_each(numbers.begin() + from, numbers.begin() + to, [](long &e) { e += 1000; });
      for (std::size_t l = 0; l < numbers.local().size(); l++) {
        const long i = static_cast<long>(numbers.global(l));

        EXPECT(numbers.local()[l] ==
               value_of<long>(numbers.global(l)) + (from <= i && i < to ? 1000 : 0));
      }
      for (long i = from; i < to; i++)
        sum += value_of<long>(static_cast<std::size_t>(i)) + 1000;
      EXPECT(garray::accumulate(numbers.begin() + from, numbers.begin() + to, -5L) == sum - 5);
      garray::for_each(numbers.begin() + from, numbers.begin() + to, [](long &e) { e -= 1000; });
    }

  garray::for_each_index(numbers.begin(), numbers.end(), [&](std::size_t i, const long &e) {
    EXPECT(e == value_of<long>(i));
    visited[i]++;
  });
  for (std::size_t i = 0; i < pattern.size(); i++)
    EXPECT(visited[i] == (numbers.is_local(i) ? 1 : 0));

  garray::fill(numbers.begin(), numbers.end(), -1L);
  for (std::size_t i = 0; i < pattern.size(); i++)
    EXPECT(numbers[i] == -1L);
}

/* The order of elements is kept over blocks, whichever units own none; the result may be another
 * type than the elements, and one that DART does not know. */
void test_accumulate(std::size_t size, const team &owners)
{
  array<affine> maps(size, owners);
  array<int>    digits(size, owners);
  affine        all{ 1, 5 };

  garray::for_each_index(maps.begin(), maps.end(),
                         [](std::size_t i, affine &map) { map = affine::of(i); });
  for (std::size_t i = 0; i < size; i++)
    all = then(all, affine::of(i));
  EXPECT(garray::accumulate(maps.begin(), maps.end(), affine{ 1, 5 }, then) == all);

  garray::fill(digits.begin(), digits.end(), 2000000000);
  EXPECT(garray::accumulate(digits.begin(), digits.end(), 0LL) ==
         2000000000LL * static_cast<long long>(size));
}

template <typename T, typename Pattern> void test_copy(const Pattern &pattern, const team &owners)
{
  auto              numbers = filled<T>(pattern, owners);
  const std::size_t size = pattern.size(), from = size / 5, to = size - size / 7;
  const auto        begin = numbers.begin();
  const auto        first = begin + static_cast<std::ptrdiff_t>(from);
  std::vector<T>    mine(to - from + 1, value_of<T>(5555));

  /* All units fetch the same range. */
  EXPECT(garray::copy(first, begin + static_cast<std::ptrdiff_t>(to), mine.data()) ==
         mine.data() + (to - from));
  for (std::size_t i = from; i < to; i++)
    EXPECT(mine[i - from] == value_of<T>(i));
  EXPECT(mine.back() == value_of<T>(5555));
  owners.barrier();

  /* In turn, each unit sends its own values, and the next one finds them. */
  for (std::size_t writer = 0; writer < owners.size(); writer++) {
    if (owners.me() == writer) {
      for (std::size_t i = from; i < to; i++)
        mine[i - from] = value_of<T>(i + 100 * (writer + 1));
      EXPECT(garray::copy(static_cast<const T *>(mine.data()), mine.data() + (to - from), first) ==
             begin + static_cast<std::ptrdiff_t>(to));
    }
    owners.barrier();
    for (std::size_t l = 0; l < numbers.local().size(); l++) {
      const std::size_t i = numbers.global(l);

      EXPECT(numbers.local()[l] == value_of<T>(from <= i && i < to ? i + 100 * (writer + 1) : i));
    }
    owners.barrier();
  }
}

/* Units add to all elements at once, and nothing is lost; the old values they see all differ. */
void test_atomics(const team &owners)
{
  array<long, cyclic_pattern> counters(5, owners);
  array<int>                  seen(5 * owners.size(), owners);
  const long                  nunits = static_cast<long>(owners.size());

  for (std::size_t i = 0; i < counters.size(); i++) {
    const long before = counters[i].fetch_add(1);

    EXPECT(0 <= before && before < nunits);
    if (0 <= before && before < nunits)
      seen[i * owners.size() + static_cast<std::size_t>(before)].fetch_add(1);
  }
  owners.barrier();
  for (const long &counter : counters.local())
    EXPECT(counter == nunits);
  for (const int &times : seen.local())
    EXPECT(times == 1);
  owners.barrier();

  /* One unit's exchange succeeds, all others learn who it was. */
  long       winner  = nunits;
  const long me      = static_cast<long>(owners.me());
  const bool succeed = counters[0].compare_exchange(winner, -1 - me);

  EXPECT(winner == nunits || (!succeed && winner < 0));
  owners.barrier();
  EXPECT(succeed == (counters[0] == -1 - me));
}

/* Each part of the team has an array of its own, at the same time. */
void test_parts(const team &all)
{
  for (std::size_t nparts : { std::size_t(1), std::size_t(2), all.size(), all.size() + 1 }) {
    const garray::team_part part(all, nparts);
    const team              mine = part.get();
    array<std::size_t>      numbers(40, mine);

    EXPECT(mine.size() <= (all.size() + nparts - 1) / nparts && mine.me() < mine.size());
    garray::fill(numbers.begin(), numbers.end(), all.me() - mine.me());
    for (std::size_t i = 0; i < numbers.size(); i++)
      EXPECT(numbers[i] == all.me() - mine.me());
    EXPECT(garray::accumulate(numbers.begin(), numbers.end(), std::size_t(0)) ==
           40 * (all.me() - mine.me()));
    all.barrier();
  }
}

/* ---- matrices ------------------------------------------------------------------------------ */

long entry(std::size_t i, std::size_t j)
{
  return static_cast<long>(i * 31 + j * 17 % 13) - 40;
}

template <typename T, typename RowPattern> void set_entries(matrix<T, RowPattern> &a)
{
  garray::for_each_index(
      a, [](std::size_t i, std::size_t j, T &element) { element = value_of<T>(i * 1000 + j); });
}

template <typename T, typename RowPattern, typename OtherPattern>
void test_transpose(std::size_t nrows, std::size_t ncols, const team &owners)
{
  matrix<T, RowPattern>   a(nrows, ncols, owners);
  matrix<T, OtherPattern> b(ncols, nrows, owners);

  set_entries(a);
  for (std::size_t i = 0; i < nrows; i++) {
    const std::vector<T> row = a.get_row(i);

    for (std::size_t j = 0; j < ncols; j++)
      EXPECT(row[j] == value_of<T>(i * 1000 + j) && static_cast<T>(a(i, j)) == row[j]);
  }
  garray::transpose(a, b);
  for (std::size_t l = 0; l < b.local_nrows(); l++)
    for (std::size_t j = 0; j < b.ncols(); j++)
      EXPECT(b.local_row(l)[j] == value_of<T>(j * 1000 + b.global_row(l)));
  owners.barrier();
}

template <typename RowPattern, typename OtherPattern>
void test_multiply(std::size_t n, std::size_t m, std::size_t k, const team &owners)
{
  const auto                 set = [](std::size_t i, std::size_t j, long &e) { e = entry(i, j); };
  matrix<long, RowPattern>   a(n, m, owners), c(n, k, owners);
  matrix<long, OtherPattern> b(m, k, owners);

  garray::for_each_index(a, set);
  garray::for_each_index(b, set);
  garray::for_each_index(c, set); /* what was in the product before does not count */
  garray::multiply(a, b, c);
  for (std::size_t l = 0; l < c.local_nrows(); l++)
    for (std::size_t j = 0; j < k; j++) {
      long sum = 0;

      for (std::size_t i = 0; i < m; i++)
        sum += entry(c.global_row(l), i) * entry(i, j);
      EXPECT(c.local_row(l)[j] == sum);
    }
  owners.barrier();
}

/* ---- what cannot be ------------------------------------------------------------------------ */

template <typename Exception, typename F> bool throws(F f)
{
  try {
    f();
  } catch (const Exception &) {
    return true;
  }
  return false;
}

struct page {
  char bytes[4096];
};

/* All units throw alike, and nothing is left half done. */
void test_errors(const team &all)
{
  matrix<int> a(3, 4), b(3, 4), c(3, 4);

  EXPECT(throws<std::invalid_argument>([&] { array<int>(block_pattern(9, all.size() + 1), all); }));
  EXPECT(throws<std::invalid_argument>([] { cyclic_pattern(9, 1, 0); }));
  EXPECT(throws<std::invalid_argument>([&] { garray::multiply(a, b, c); }));
  EXPECT(throws<std::invalid_argument>([&] { garray::transpose(a, b); }));
  EXPECT(throws<std::bad_alloc>([] { array<page>(SIZE_MAX / 2); }));
  EXPECT(throws<std::bad_alloc>([] { matrix<int>(SIZE_MAX / 4, 4096); }));
  try {
    garray::check(DART_ERR_NOMEM, "dart_something");
    EXPECT(false);
  } catch (const garray::error &e) {
    EXPECT(e.code() == DART_ERR_NOMEM && std::strstr(e.what(), "dart_something") != nullptr);
  }
  all.barrier();
}

int test_all()
{
  const team all;

  test_patterns();
  for (std::size_t size : sizes(all)) {
    const block_pattern  blocks(size, all.size());
    const cyclic_pattern single(size, all.size()), triples(size, all.size(), 3);

    test_access<int>(blocks, all);
    test_access<triple>(triples, all);
    test_access<char>(single, all);
    test_access<long double>(blocks, all);
    test_iterators(blocks, all);
    test_iterators(triples, all);
    test_ranges(blocks, all);
    test_ranges(single, all);
    test_ranges(triples, all);
    test_accumulate(size, all);
    test_copy<double>(blocks, all);
    test_copy<short>(single, all);
    test_copy<triple>(triples, all);
  }
  test_move(all);
  test_atomics(all);
  test_parts(all);
  for (std::size_t nrows : { std::size_t(0), std::size_t(1), all.size(), std::size_t(11) })
    for (std::size_t ncols : { 0u, 1u, 8u }) {
      test_transpose<int, block_pattern, block_pattern>(nrows, ncols, all);
      test_transpose<double, cyclic_pattern, block_pattern>(nrows, ncols, all);
      test_transpose<triple, block_pattern, cyclic_pattern>(nrows, ncols, all);
      test_multiply<block_pattern, cyclic_pattern>(nrows, ncols, 5, all);
      test_multiply<cyclic_pattern, block_pattern>(nrows, 7, ncols, all);
    }
  test_errors(all);

  return outcome("garray");
}

/* The others wait in a barrier that the last unit never reaches, with an array alive. */
int throw_on_one_unit()
{
  const team       all;
  const array<int> numbers(10);

  if (all.me() == all.size() - 1)
    throw std::logic_error("thrown by one unit");
  all.barrier();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char **argv)
{
  if (argc == 2 && std::strcmp(argv[1], "throw") == 0)
    return garray::run(argc, argv, throw_on_one_unit);
  if (argc != 1) {
    std::fprintf(stderr, "usage: garray-test [throw]\n");
    return EXIT_FAILURE;
  }
  const int code = garray::run(argc, argv, test_all);
  return code != EXIT_SUCCESS ? code : garray::run(argc, argv, test_all);
}
