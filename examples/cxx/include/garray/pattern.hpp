#ifndef GARRAY_PATTERN_HPP
#define GARRAY_PATTERN_HPP
/* Patterns: which unit owns element i, and where in that unit's memory it lies.
 *
 * Both patterns here cut the indices into blocks and deal these out in turn: block k belongs to
 * unit k mod nunits. block_pattern has as many blocks as units, so each unit owns one range;
 * cyclic_pattern has small ones, so that neighbours are spread. A unit keeps its elements in
 * ascending order without gaps. Two facts follow from that which the algorithms build on: the
 * elements of a unit that lie in a range of indices are a range of its memory (local_before), and
 * indices of one block are neighbours in memory (run).
 *
 * A pattern of your own has these members and keeps these two promises. */
#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace garray
{

/** `size` indices in blocks of `block`, dealt out to `nunits` units in turn. */
class dealt_pattern
{
public:
  dealt_pattern() noexcept = default;

  dealt_pattern(std::size_t size, std::size_t nunits, std::size_t block)
      : size_(size), nunits_(nunits), block_(block)
  {
    if (nunits == 0 || block == 0)
      throw std::invalid_argument("a pattern needs at least one unit, and blocks of one element");
  }

  std::size_t size() const noexcept
  {
    return size_;
  }

  std::size_t nunits() const noexcept
  {
    return nunits_;
  }

  /** Who owns index i < size(). */
  std::size_t unit(std::size_t i) const noexcept
  {
    return i / block_ % nunits_;
  }

  /** Where in its owner's memory element i lies, counted in elements. */
  std::size_t local(std::size_t i) const noexcept
  {
    return i / (block_ * nunits_) * block_ + i % block_;
  }

  /** The index of what `unit` keeps at position l. */
  std::size_t global(std::size_t unit, std::size_t l) const noexcept
  {
    return (l / block_ * nunits_ + unit) * block_ + l % block_;
  }

  /** How many elements with an index below i <= size() `unit` owns: the position where those from i
   *  on begin. */
  std::size_t local_before(std::size_t unit, std::size_t i) const noexcept
  {
    const std::size_t round = block_ * nunits_, start = unit * block_, rest = i % round;

    return i / round * block_ + (rest > start ? std::min(rest - start, block_) : 0);
  }

  /** How many elements `unit` owns. */
  std::size_t local_size(std::size_t unit) const noexcept
  {
    return local_before(unit, size_);
  }

  /** The most that any unit owns; unit 0 owns so many. */
  std::size_t local_capacity() const noexcept
  {
    return local_size(0);
  }

  /** How many elements from i on, itself included, follow each other in the memory of its owner. */
  std::size_t run(std::size_t i) const noexcept
  {
    return std::min(block_ - i % block_, size_ - i);
  }

  friend bool operator==(const dealt_pattern &a, const dealt_pattern &b) noexcept
  {
    return a.size_ == b.size_ && a.nunits_ == b.nunits_ && a.block_ == b.block_;
  }

  friend bool operator!=(const dealt_pattern &a, const dealt_pattern &b) noexcept
  {
    return !(a == b);
  }

private:
  std::size_t size_   = 0;
  std::size_t nunits_ = 1;
  std::size_t block_  = 1;
};

/** One range for every unit: ceil(size / nunits) elements each; the last ones may have fewer. */
class block_pattern : public dealt_pattern
{
public:
  block_pattern() noexcept = default;

  block_pattern(std::size_t size, std::size_t nunits)
      : dealt_pattern(size, nunits, nunits == 0 ? 1 : std::max<std::size_t>(1, ceil(size, nunits)))
  {
  }

private:
  static std::size_t ceil(std::size_t size, std::size_t nunits) noexcept
  {
    return size / nunits + (size % nunits != 0);
  }
};

/** Blocks of `block` elements in turn. */
class cyclic_pattern : public dealt_pattern
{
public:
  cyclic_pattern() noexcept = default;

  cyclic_pattern(std::size_t size, std::size_t nunits, std::size_t block = 1)
      : dealt_pattern(size, nunits, block)
  {
  }
};

}  // namespace garray

#endif
