#ifndef GARRAY_ARRAY_HPP
#define GARRAY_ARRAY_HPP
/* An array in the memory of all units of a team. Its pattern says who owns which element. The owner
 * reaches its elements through local(), as plain memory; everybody reaches all of them through
 * iterators and operator[]. */
#include <cstddef>
#include <stdexcept>
#include <string>

#include "iterator.hpp"
#include "memory.hpp"
#include "pattern.hpp"
#include "reference.hpp"
#include "runtime.hpp"

namespace garray
{

template <typename T, typename Pattern = block_pattern>
class array
{
public:
  using value_type     = T;
  using pattern_type   = Pattern;
  using reference      = global_ref<T>;
  using iterator       = global_iterator<T, Pattern>;
  using const_iterator = global_iterator<const T, Pattern>;

  /** Collective over `owners`, as the destructor is: `size` elements, all T(). */
  explicit array(std::size_t size, const team &owners = team())
      : array(Pattern(size, owners.size()), owners)
  {
  }

  /** The same with a pattern of the caller's, made for as many units as `owners` has. */
  explicit array(const Pattern &pattern, const team &owners = team())
      : owners_(owners), pattern_(pattern), memory_(fitting(pattern, owners))
  {
  }

  std::size_t size() const noexcept
  {
    return pattern_.size();
  }

  bool empty() const noexcept
  {
    return size() == 0;
  }

  const Pattern &pattern() const noexcept
  {
    return pattern_;
  }

  const team &owners() const noexcept
  {
    return owners_;
  }

  /** This unit's elements, in ascending order of their indices. */
  local_span<T> local() noexcept
  {
    return { memory_.local(), pattern_.local_size(owners_.me()) };
  }

  local_span<const T> local() const noexcept
  {
    return { memory_.local(), pattern_.local_size(owners_.me()) };
  }

  /** The elements of another unit, where its memory is this node's; without elements, data() a null pointer, where it
   *  is not. Plain accesses order nothing: a barrier does, or whatever else this unit learns by that they are there. */
  local_span<T> near(std::size_t unit) noexcept
  {
    return near_of<T>(unit);
  }

  local_span<const T> near(std::size_t unit) const noexcept
  {
    return near_of<const T>(unit);
  }

  /** The index of local()[l]. */
  std::size_t global(std::size_t l) const noexcept
  {
    return pattern_.global(owners_.me(), l);
  }

  bool is_local(std::size_t i) const noexcept
  {
    return pattern_.unit(i) == owners_.me();
  }

  reference operator[](std::size_t i) noexcept
  {
    return *iterator(memory_.base(), pattern_, i);
  }

  global_ref<const T> operator[](std::size_t i) const noexcept
  {
    return *const_iterator(memory_.base(), pattern_, i);
  }

  iterator begin() noexcept
  {
    return { memory_.base(), pattern_, 0 };
  }

  iterator end() noexcept
  {
    return { memory_.base(), pattern_, size() };
  }

  const_iterator begin() const noexcept
  {
    return { memory_.base(), pattern_, 0 };
  }

  const_iterator end() const noexcept
  {
    return { memory_.base(), pattern_, size() };
  }

private:
  template <typename U>
  local_span<U> near_of(std::size_t unit) const noexcept
  {
    U *const data = static_cast<U *>(dart_near_ptr(global_address<T>(memory_.base(), unit, 0)));

    return { data, data != nullptr ? pattern_.local_size(unit) : 0 };
  }

  static global_memory<T> fitting(const Pattern &pattern, const team &owners)
  {
    if (pattern.nunits() != owners.size())
      throw std::invalid_argument("the pattern is for " + std::to_string(pattern.nunits()) +
                                  " units, the team has " + std::to_string(owners.size()));
    return global_memory<T>(owners, pattern.local_capacity());
  }

  team             owners_;
  Pattern          pattern_;
  global_memory<T> memory_;
};

}  // namespace garray

#endif
