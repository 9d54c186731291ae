#ifndef GARRAY_ITERATOR_HPP
#define GARRAY_ITERATOR_HPP
/* Iterators over all elements of an array, in the order of their indices, whoever owns them.
 *
 * An iterator is a value: where the memory starts, the pattern, and an index. It is valid on the
 * unit it was made on while the memory is allocated, also when the array object has been moved.
 * Dereferencing gives a global_ref, so the algorithms of the standard library work, one blocking
 * transfer per access. Those of algorithm.hpp let owners work on their own part instead. */
#include <cstddef>
#include <iterator>
#include <type_traits>

#include <dash/dart/if/dart.h>

#include "memory.hpp"
#include "reference.hpp"

namespace garray
{

template <typename T, typename Pattern>
class global_iterator
{
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type        = std::remove_const_t<T>;
  using difference_type   = std::ptrdiff_t;
  using reference         = global_ref<T>;
  using pointer           = void;

  global_iterator() = default;

  global_iterator(dart_gptr_t base, const Pattern &pattern, std::size_t index) noexcept
      : base_(base), pattern_(pattern), index_(index)
  {
  }

  /** From T to const T. */
  template <typename U, typename = std::enable_if_t<std::is_same<const U, T>::value>>
  global_iterator(const global_iterator<U, Pattern> &other) noexcept
      : base_(other.base()), pattern_(other.pattern()), index_(other.index())
  {
  }

  reference operator*() const noexcept
  {
    return reference(gptr());
  }

  reference operator[](difference_type n) const noexcept
  {
    return *(*this + n);
  }

  /** Where the element lies. */
  dart_gptr_t gptr() const noexcept
  {
    return global_address<T>(base_, pattern_.unit(index_), pattern_.local(index_));
  }

  dart_gptr_t base() const noexcept
  {
    return base_;
  }

  const Pattern &pattern() const noexcept
  {
    return pattern_;
  }

  std::size_t index() const noexcept
  {
    return index_;
  }

  global_iterator &operator+=(difference_type n) noexcept
  {
    index_ += static_cast<std::size_t>(n); /* wraps where n is negative */
    return *this;
  }

  global_iterator &operator-=(difference_type n) noexcept
  {
    index_ -= static_cast<std::size_t>(n);
    return *this;
  }

  global_iterator &operator++() noexcept
  {
    return *this += 1;
  }

  global_iterator &operator--() noexcept
  {
    return *this -= 1;
  }

  global_iterator operator++(int) noexcept
  {
    const global_iterator before = *this;

    ++*this;
    return before;
  }

  global_iterator operator--(int) noexcept
  {
    const global_iterator before = *this;

    --*this;
    return before;
  }

  friend global_iterator operator+(global_iterator a, difference_type n) noexcept
  {
    return a += n;
  }

  friend global_iterator operator+(difference_type n, global_iterator a) noexcept
  {
    return a += n;
  }

  friend global_iterator operator-(global_iterator a, difference_type n) noexcept
  {
    return a -= n;
  }

  friend difference_type operator-(const global_iterator &a, const global_iterator &b) noexcept
  {
    return static_cast<difference_type>(a.index_ - b.index_);
  }

  /* Only iterators of one array are compared, so their indices tell. */
  friend bool operator==(const global_iterator &a, const global_iterator &b) noexcept
  {
    return a.index_ == b.index_;
  }

  friend bool operator!=(const global_iterator &a, const global_iterator &b) noexcept
  {
    return a.index_ != b.index_;
  }

  friend bool operator<(const global_iterator &a, const global_iterator &b) noexcept
  {
    return a.index_ < b.index_;
  }

  friend bool operator>(const global_iterator &a, const global_iterator &b) noexcept
  {
    return b < a;
  }

  friend bool operator<=(const global_iterator &a, const global_iterator &b) noexcept
  {
    return !(b < a);
  }

  friend bool operator>=(const global_iterator &a, const global_iterator &b) noexcept
  {
    return !(a < b);
  }

private:
  dart_gptr_t base_ = DART_GPTR_NULL;
  Pattern     pattern_;
  std::size_t index_ = 0;
};

}  // namespace garray

#endif
