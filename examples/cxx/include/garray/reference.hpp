#ifndef GARRAY_REFERENCE_HPP
#define GARRAY_REFERENCE_HPP
/* A reference to one element, wherever it lies. Reading it fetches the value, assigning to it
 * stores one; both are complete when they return. `auto x = array[i]` is therefore another
 * reference, and `T x = array[i]` a value.
 *
 * For a loop over own elements a plain pointer is the right thing (array::local); for many elements
 * of others, copy(). */
#include <type_traits>

#include <dash/dart/if/dart.h>

#include "element.hpp"
#include "runtime.hpp"

namespace garray
{

template <typename T>
class global_ref
{
public:
  using value_type = std::remove_const_t<T>;

  explicit global_ref(dart_gptr_t at) noexcept : at_(at)
  {
  }

  global_ref(const global_ref &) noexcept = default;

  operator value_type() const
  {
    value_type value;

    check(dart_get_blocking(&value, at_, traits::count, traits::type, traits::type),
          "dart_get_blocking");
    return value;
  }

  /* const, because it is the element that changes: iterators hand references out as temporaries. */
  const global_ref &operator=(const value_type &value) const
  {
    static_assert(!std::is_const<T>::value, "this element may only be read");
    check(dart_put_blocking(at_, &value, traits::count, traits::type, traits::type),
          "dart_put_blocking");
    return *this;
  }

  const global_ref &operator=(const global_ref &other) const
  {
    return *this = static_cast<value_type>(other);
  }

  /** Atomically add `value`; returns what was there before. */
  value_type fetch_add(const value_type &value) const
  {
    value_type before;

    assert_atomic();
    static_assert(!std::is_same<value_type, bool>::value, "truth values have no sum");
    check(dart_fetch_and_op(at_, &value, &before, traits::type, DART_OP_SUM), "dart_fetch_and_op");
    check(dart_flush(at_), "dart_flush");
    return before;
  }

  /** The same without waiting: others see it when this unit has flushed (dart_flush), but not much later if not. */
  void add(const value_type &value) const
  {
    assert_atomic();
    static_assert(!std::is_same<value_type, bool>::value, "truth values have no sum");
    check(dart_accumulate(at_, &value, 1, traits::type, DART_OP_SUM), "dart_accumulate");
  }

  /** Atomically: if the element is `expected`, make it `desired` and return true. If not, return
   *  false and what it is in `expected`. Values are compared as bits. */
  bool compare_exchange(value_type &expected, const value_type &desired) const
  {
    value_type       before;
    const value_type compare = expected;

    assert_atomic();
    static_assert(std::is_integral<value_type>::value, "only integers are compared and swapped");
    check(dart_compare_and_swap(at_, &desired, &compare, &before, traits::type),
          "dart_compare_and_swap");
    check(dart_flush(at_), "dart_flush");
    expected = before;
    return before == compare;
  }

  /** Exchange the values of two elements; not atomic. */
  friend void swap(const global_ref &a, const global_ref &b)
  {
    const value_type value = a;

    a = b;
    b = value;
  }

  friend void swap(const global_ref &a, value_type &b)
  {
    const value_type value = a;

    a = b;
    b = value;
  }

  friend void swap(value_type &a, const global_ref &b)
  {
    swap(b, a);
  }

  dart_gptr_t gptr() const noexcept
  {
    return at_;
  }

private:
  using traits = element<value_type>;

  static constexpr void assert_atomic() noexcept
  {
    static_assert(!std::is_const<T>::value, "this element may only be read");
    static_assert(traits::is_basic, "atomic operations need a type that DART has");
  }

  dart_gptr_t at_;
};

}  // namespace garray

#endif
