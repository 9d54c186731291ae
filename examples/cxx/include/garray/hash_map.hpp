#ifndef GARRAY_HASH_MAP_HPP
#define GARRAY_HASH_MAP_HPP
/* A hash map in the memory of all units of a team: any unit inserts and finds any key at any time, and the unit that
 * keeps it takes no part.
 *
 * The hash of a key says which unit keeps it and where its search starts there; it goes on slot by slot (linear
 * probing). A slot goes from empty to claimed, by one unit's compare-and-swap, and from there to full, once key and
 * value have been written: nothing has to wait for these, they only have to come in this order (dart_order). Keys stay
 * until the end, so a slot that is not empty stays in everybody's way, and an empty one ends all searches: two units
 * that insert the same key meet at the same slot.
 * (A hash table of this kind is that of Gao, Groote, Hesselink: Lock-free dynamic hash tables with open addressing,
 * Distributed Computing 18, 2005; here the short time from claimed to full is waited for, so it is not lock-free.)
 *
 * Values are changed by atomics or puts through the reference that insert and find give, or, whatever they are, by
 * update under the lock that every slot has (dart_lock_at). */
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>

#include <dash/dart/ext/dart_lock_at.h>
#include <dash/dart/ext/dart_order.h>
#include <dash/dart/ext/dart_value.h>
#include <dash/dart/if/dart.h>

#include "memory.hpp"
#include "reference.hpp"
#include "runtime.hpp"

namespace garray
{

/** The lock in the word at `at`, held for as long as this lives. */
class lock_guard
{
public:
  explicit lock_guard(dart_gptr_t at) : at_(at)
  {
    check(dart_lock_at_acquire(at), "dart_lock_at_acquire");
  }
  lock_guard(const lock_guard &)            = delete;
  lock_guard &operator=(const lock_guard &) = delete;
  ~lock_guard()
  {
    dart_lock_at_release(at_); /* fails only if nobody holds it */
  }

private:
  dart_gptr_t at_;
};

template <typename Key, typename Value, typename Hash = std::hash<Key>>
class hash_map
{
  static_assert(sizeof(Key) <= DART_COPIED_MOST && sizeof(Value) <= DART_COPIED_MOST,
                "keys and values are sent and not waited for, which DART allows up to this size");

public:
  using value_ref = global_ref<Value>;

  /** Collective over `owners`: room for `capacity` keys in all. Keys are spread by chance: take half as many again as
   *  there will be, and at least some twenty for each unit. `hash` gives the same on all units. */
  explicit hash_map(std::size_t capacity, const team &owners = team(), Hash hash = Hash())
      : owners_(owners), hash_(hash), nlocal_(capacity / owners.size() + 1), slots_(owners, nlocal_)
  {
  }

  hash_map(const hash_map &)            = delete;
  hash_map &operator=(const hash_map &) = delete;

  /** Collective. */
  ~hash_map()
  {
    dart_flush_all(slots_.base()); /* nothing is on its way to memory that is freed */
  }

  /** The value of `key`, which is inserted with value `initial` if it is not there; `second` says whether it was by
   *  this call. Throws std::length_error if the key's unit has no room. */
  std::pair<value_ref, bool> insert(const Key &key, const Value &initial)
  {
    const place home = home_of(key);

    for (std::size_t n = 0; n < nlocal_; n++) {
      const dart_gptr_t at    = slot_at(home, n);
      std::uint64_t     state = state_of(at);

      if (state == empty && state_of(at).compare_exchange(state, claimed)) {
        fill(at, key, initial);
        return { value_of(at), true };
      }
      if (holds(at, state, key))
        return { value_of(at), false };
    }
    throw std::length_error("a unit's part of the hash map is full");
  }

  /** The value of `key`, if that was inserted. */
  std::optional<value_ref> find(const Key &key) const
  {
    const std::optional<dart_gptr_t> at = slot_of(key);

    return at ? std::optional<value_ref>(value_of(*at)) : std::nullopt;
  }

  /** Call f(value) for the value of `key`, if that was inserted: of several updates of a key one comes after the
   *  other. False: there is no such key. Not to be mixed with changes through references. */
  template <typename F>
  bool update(const Key &key, F f)
  {
    const std::optional<dart_gptr_t> at = slot_of(key);

    if (!at)
      return false;
    const lock_guard lock(field(*at, offsetof(slot, lock)));
    Value            value = value_of(*at);

    f(value);
    value_of(*at) = value;
    return true;
  }

  /** Collective. What any unit did before it, every unit sees after it. */
  void barrier() const
  {
    check(dart_flush_all(slots_.base()), "dart_flush_all");
    owners_.barrier();
  }

  /** Call f(key, value) for all keys that this unit keeps, after a barrier, while nobody inserts. */
  template <typename F>
  void for_each_local(F f) const
  {
    for (std::size_t l = 0; l < nlocal_; l++)
      if (slots_.local()[l].state == full)
        f(slots_.local()[l].key, slots_.local()[l].value);
  }

  const team &owners() const noexcept
  {
    return owners_;
  }

private:
  /* What is in slot::state; memory starts as zero. */
  static constexpr std::uint64_t empty = 0, claimed = 1, full = 2;

  struct slot {
    std::uint64_t state;
    std::uint64_t lock;
    Key           key;
    Value         value;
  };
  static_assert(std::is_standard_layout<slot>::value, "the fields of a slot have places");

  struct place {
    std::size_t unit, first;
  };

  /* The bits of std::hash<int> are those of the number: they are mixed, as the last step of SplitMix64 does. */
  place home_of(const Key &key) const
  {
    std::uint64_t h = hash_(key);

    h = (h ^ (h >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 27)) * UINT64_C(0x94d049bb133111eb);
    h ^= h >> 31;
    return { h % owners_.size(), h / owners_.size() % nlocal_ };
  }

  dart_gptr_t slot_at(const place &home, std::size_t n) const noexcept
  {
    return global_address<slot>(slots_.base(), home.unit, (home.first + n) % nlocal_);
  }

  static dart_gptr_t field(dart_gptr_t at, std::size_t offset) noexcept
  {
    dart_gptr_incaddr(&at, static_cast<std::int64_t>(offset));
    return at;
  }

  static global_ref<std::uint64_t> state_of(dart_gptr_t at) noexcept
  {
    return global_ref<std::uint64_t>(field(at, offsetof(slot, state)));
  }

  static value_ref value_of(dart_gptr_t at) noexcept
  {
    return value_ref(field(at, offsetof(slot, value)));
  }

  /* A claimed slot becomes full. All of these are copied when the calls return, and the state comes last. */
  static void fill(dart_gptr_t at, const Key &key, const Value &value)
  {
    check(dart_put(field(at, offsetof(slot, key)), &key, element<Key>::count, element<Key>::type,
                   element<Key>::type),
          "dart_put");
    check(dart_put(field(at, offsetof(slot, value)), &value, element<Value>::count,
                   element<Value>::type, element<Value>::type),
          "dart_put");
    check(dart_order(at), "dart_order");
    check(dart_put_value(field(at, offsetof(slot, state)), full), "dart_put_value");
  }

  /* Whether the slot, whose state was `state` and not empty, has this key. */
  static bool holds(dart_gptr_t at, std::uint64_t state, const Key &key)
  {
    while (state != full) {
      std::this_thread::yield(); /* who has claimed it may need this core */
      state = state_of(at);
    }
    return static_cast<Key>(global_ref<Key>(field(at, offsetof(slot, key)))) == key;
  }

  std::optional<dart_gptr_t> slot_of(const Key &key) const
  {
    const place home = home_of(key);

    for (std::size_t n = 0; n < nlocal_; n++) {
      const dart_gptr_t   at    = slot_at(home, n);
      const std::uint64_t state = state_of(at);

      if (state == empty)
        break;
      if (holds(at, state, key))
        return at;
    }
    return std::nullopt;
  }

  team                owners_;
  Hash                hash_;
  std::size_t         nlocal_;
  global_memory<slot> slots_;
};

}  // namespace garray

#endif
