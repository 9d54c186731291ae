#ifndef GARRAY_ELEMENT_HPP
#define GARRAY_ELEMENT_HPP
/* What may be an element, and how DART is told about it.
 *
 * Elements travel as bytes, so any trivially copyable type may be one. Types that DART has itself
 * are passed by their own name, all others as so many bytes. Only the former can be the target of
 * an atomic operation. */
#include <complex>
#include <cstddef>
#include <type_traits>

#include <dash/dart/ext/dart_basic.h>
#include <dash/dart/if/dart.h>

#include "runtime.hpp"

namespace garray
{

/** DART's name of the arithmetic type T; DART_TYPE_UNDEFINED if it has none. */
template <typename T>
struct basic_type : std::integral_constant<dart_datatype_t, DART_TYPE_UNDEFINED> {
};
template <>
struct basic_type<short> : std::integral_constant<dart_datatype_t, DART_TYPE_SHORT> {
};
template <>
struct basic_type<int> : std::integral_constant<dart_datatype_t, DART_TYPE_INT> {
};
template <>
struct basic_type<unsigned> : std::integral_constant<dart_datatype_t, DART_TYPE_UINT> {
};
template <>
struct basic_type<long> : std::integral_constant<dart_datatype_t, DART_TYPE_LONG> {
};
template <>
struct basic_type<unsigned long> : std::integral_constant<dart_datatype_t, DART_TYPE_ULONG> {
};
template <>
struct basic_type<long long> : std::integral_constant<dart_datatype_t, DART_TYPE_LONGLONG> {
};
template <>
struct basic_type<unsigned long long>
    : std::integral_constant<dart_datatype_t, DART_TYPE_ULONGLONG> {
};
template <>
struct basic_type<float> : std::integral_constant<dart_datatype_t, DART_TYPE_FLOAT> {
};
template <>
struct basic_type<double> : std::integral_constant<dart_datatype_t, DART_TYPE_DOUBLE> {
};
template <>
struct basic_type<long double> : std::integral_constant<dart_datatype_t, DART_TYPE_LONG_DOUBLE> {
};
template <>
struct basic_type<bool> : std::integral_constant<dart_datatype_t, DART_TYPE_BOOL> {
};
template <>
struct basic_type<signed char> : std::integral_constant<dart_datatype_t, DART_TYPE_INT8> {
};
template <>
struct basic_type<unsigned char> : std::integral_constant<dart_datatype_t, DART_TYPE_UINT8> {
};
template <>
struct basic_type<unsigned short> : std::integral_constant<dart_datatype_t, DART_TYPE_UINT16> {
};
template <>
struct basic_type<std::complex<float>>
    : std::integral_constant<dart_datatype_t, DART_TYPE_FLOAT_COMPLEX> {
};
template <>
struct basic_type<std::complex<double>>
    : std::integral_constant<dart_datatype_t, DART_TYPE_DOUBLE_COMPLEX> {
};

/** How elements of type T are moved: n of them are n * count of DART's `type`. */
template <typename T>
struct element {
  static_assert(std::is_trivially_copyable<T>::value, "elements are copied as bytes between units");
  static_assert(alignof(T) <= 16, "DART aligns memory to 16 bytes, to more it need not");

  static constexpr bool            is_basic = basic_type<T>::value != DART_TYPE_UNDEFINED;
  static constexpr dart_datatype_t type     = is_basic ? basic_type<T>::value : DART_TYPE_BYTE;
  static constexpr std::size_t     count    = is_basic ? 1 : sizeof(T);
};

namespace detail
{

/* A data type made of others, for as long as this lives. */
struct derived_type {
  /* `nbytes` bytes as one element. */
  explicit derived_type(std::size_t nbytes)
  {
    check(dart_type_create_custom(nbytes, &id), "dart_type_create_custom");
  }

  /* Blocks of `block` elements that start `stride` elements apart. */
  derived_type(dart_datatype_t base, std::size_t stride, std::size_t block)
  {
    check(dart_type_create_strided(base, stride, block, &id), "dart_type_create_strided");
  }

  derived_type(const derived_type &)            = delete;
  derived_type &operator=(const derived_type &) = delete;

  ~derived_type()
  {
    dart_type_destroy(&id);
  }

  dart_datatype_t id;
};

}  // namespace detail

}  // namespace garray

#endif
