#ifndef GARRAY_MEMORY_HPP
#define GARRAY_MEMORY_HPP
/* Memory over a team, seen from both sides: its owner's as a plain range, anybody's as something
 * that bytes are fetched from and sent to. */
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L && __has_include(<ranges>)
#include <ranges>
#endif

#include <dash/dart/ext/dart_near.h>
#include <dash/dart/if/dart.h>

#include "element.hpp"
#include "runtime.hpp"

namespace garray
{

/** Elements that this unit can load and store, its own or those of a unit of its node, as plain memory. Below C++20 it
 *  is what std::span is there; from C++20 on it is a view, and converts to a std::span. */
template <typename T>
class local_span
{
public:
  local_span(T *data, std::size_t size) noexcept : data_(data), size_(size)
  {
  }

  T *data() const noexcept
  {
    return data_;
  }

  std::size_t size() const noexcept
  {
    return size_;
  }

  bool empty() const noexcept
  {
    return size_ == 0;
  }

  T *begin() const noexcept
  {
    return data_;
  }

  T *end() const noexcept
  {
    return data_ + size_;
  }

  T &operator[](std::size_t l) const noexcept
  {
    return data_[l];
  }

private:
  T          *data_;
  std::size_t size_;
};

}  // namespace garray

#if __cplusplus >= 202002L && defined(__cpp_lib_ranges)
/* A copy of a span sees the same elements, which outlive it. */
template <typename T>
inline constexpr bool std::ranges::enable_view<garray::local_span<T>> = true;
template <typename T>
inline constexpr bool std::ranges::enable_borrowed_range<garray::local_span<T>> = true;
#endif

namespace garray
{

/** The global pointer to element l of `unit`, in the memory of T that starts at `base`. */
template <typename T>
dart_gptr_t global_address(dart_gptr_t base, std::size_t unit, std::size_t l) noexcept
{
  dart_gptr_setunit(&base, DART_TEAM_UNIT_ID(static_cast<dart_unit_t>(unit)));
  dart_gptr_incaddr(&base, static_cast<std::int64_t>(l * sizeof(T)));
  return base;
}

/** This unit's part of the memory of T that starts at `base`. */
template <typename T>
T *local_address(dart_gptr_t base, std::size_t me)
{
  void *address;

  check(dart_gptr_getaddr(global_address<T>(base, me, 0), &address), "dart_gptr_getaddr");
  return static_cast<T *>(address);
}

/** a * b; throws what `new T[a * b]` throws if it is too large for a size. */
inline std::size_t product(std::size_t a, std::size_t b)
{
  if (b != 0 && a > SIZE_MAX / b)
    throw std::bad_array_new_length();
  return a * b;
}

/** Room for `nlocal` elements on every unit of a team, all set to T(); moved, not copied. */
template <typename T>
class global_memory
{
public:
  /** Collective; `nlocal` is the same on all units. */
  global_memory(const team &owners, std::size_t nlocal)
  {
    check(
        dart_team_memalloc_aligned(owners.id(), product(nlocal, sizeof(T)), DART_TYPE_BYTE, &base_),
        "dart_team_memalloc_aligned");
    local_ = local_address<T>(base_, owners.me());
    std::uninitialized_fill_n(local_, nlocal, T());
    owners.barrier();
  }

  global_memory(global_memory &&other) noexcept
      : base_(std::exchange(other.base_, DART_GPTR_NULL)),
        local_(std::exchange(other.local_, nullptr))
  {
  }

  /** Collective, as freeing what was here is. */
  global_memory &operator=(global_memory &&other) noexcept
  {
    std::swap(base_, other.base_);
    std::swap(local_, other.local_);
    return *this;
  }

  /** Collective. */
  ~global_memory()
  {
    dart_team_memfree(base_); /* DART_GPTR_NULL is freed by doing nothing */
  }

  /** Element 0 of unit 0. */
  dart_gptr_t base() const noexcept
  {
    return base_;
  }

  T *local() const noexcept
  {
    return local_;
  }

private:
  dart_gptr_t base_  = DART_GPTR_NULL;
  T          *local_ = nullptr;
};

/** Transfers under way. The memory they read or write belongs to them until wait() returns, or the
 *  destructor, which waits too. Each unit starts and awaits its own. */
class transfer
{
public:
  transfer() noexcept                 = default;
  transfer(transfer &&other) noexcept = default;

  transfer &operator=(transfer &&other) noexcept
  {
    handles_.swap(other.handles_); /* what was under way here now ends with `other` */
    return *this;
  }

  ~transfer()
  {
    dart_waitall(handles_.data(), handles_.size());
  }

  /** Whether wait() would return at once. */
  bool is_complete()
  {
    std::int32_t all = 1;

    if (!handles_.empty())
      check(dart_testall(handles_.data(), handles_.size(), &all), "dart_testall");
    if (all != 0)
      handles_.clear();
    return all != 0;
  }

  /** Return when all that was started is complete, at both ends. */
  void wait()
  {
    check(dart_waitall(handles_.data(), handles_.size()), "dart_waitall");
    handles_.clear();
  }

  /** Start fetching n elements from `source`. */
  template <typename T>
  void get(T *destination, dart_gptr_t source, std::size_t n)
  {
    check(dart_get_handle(destination, source, n * element<T>::count, element<T>::type,
                          element<T>::type, next()),
          "dart_get_handle");
    settle();
  }

  /** Start sending n elements to `destination`, where `layout` says how they lie there. */
  template <typename T>
  void put(dart_gptr_t destination, const T *source, std::size_t n,
           dart_datatype_t layout = element<T>::type)
  {
    check(dart_put_handle(destination, source, n * element<T>::count, element<T>::type, layout,
                          next()),
          "dart_put_handle");
    settle();
  }

private:
  dart_handle_t *next()
  {
    handles_.push_back(DART_HANDLE_NULL);
    return &handles_.back();
  }

  /* A transfer within the node is complete at once, and has no handle to keep. */
  void settle() noexcept
  {
    if (handles_.back() == DART_HANDLE_NULL)
      handles_.pop_back();
  }

  std::vector<dart_handle_t> handles_;
};

}  // namespace garray

#endif
