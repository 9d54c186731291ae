#ifndef GARRAY_FUTURE_HPP
#define GARRAY_FUTURE_HPP
/* Elements that are on their way, and what becomes of them: copies that the program goes on during.
 *
 * A future owns the memory that its transfers read or write, so nothing has to be kept alive beside it, and it may be
 * moved while they are under way. Unlike a std::future it belongs to no thread: transfers go on by themselves, and
 * whoever asks makes progress. */
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "algorithm.hpp"
#include "iterator.hpp"
#include "memory.hpp"
#include "reference.hpp"

namespace garray
{

template <typename Result>
class future
{
public:
  /** Of nothing, not valid. */
  future() noexcept = default;

  /** What `start(result, transfer)` starts to read or write in `result`, wherever that lies. */
  template <typename Start>
  future(Result result, Start start) : result_(std::make_unique<Result>(std::move(result)))
  {
    start(*result_, transfer_);
  }

  future(future &&other) noexcept = default;

  future &operator=(future &&other) noexcept
  {
    std::swap(result_, other.result_); /* what was under way here now ends with `other` */
    std::swap(transfer_, other.transfer_);
    return *this;
  }

  /** Waits, if something is under way. */
  ~future() = default;

  /** Whether there is a result to come, or to get. */
  bool valid() const noexcept
  {
    return result_ != nullptr;
  }

  /** Whether get() would return at once. Called in a loop it becomes true. */
  bool is_ready()
  {
    return transfer_.is_complete();
  }

  void wait()
  {
    transfer_.wait();
  }

  /** Wait, and give the result away: once. */
  Result get()
  {
    if (!valid())
      throw std::logic_error("the result of this future was never asked for, or has been fetched");
    wait();
    return std::move(*std::exchange(result_, nullptr));
  }

private:
  std::unique_ptr<Result> result_;
  transfer                transfer_; /* after result_, so that it ends before */
};

/** Start fetching one element. */
template <typename T>
future<std::remove_const_t<T>> fetch(global_ref<T> from)
{
  using value = std::remove_const_t<T>;

  return { value(), [=](value &result, transfer &t) { t.get(&result, from.gptr(), 1); } };
}

/** Start fetching a range. */
template <typename T, typename Pattern>
future<std::vector<std::remove_const_t<T>>> fetch(global_iterator<T, Pattern> first,
                                                  global_iterator<T, Pattern> last)
{
  using values = std::vector<std::remove_const_t<T>>;

  return { values(static_cast<std::size_t>(last - first)),
           [=](values &result, transfer &t) { t = copy_async(first, last, result.data()); } };
}

/** Start sending `values` to the elements from `to` on. The result is `values`, the caller's again: the elements have
 *  their values then, and whoever is told so sees them. */
template <typename T, typename Pattern>
future<std::vector<T>> send(std::vector<T> values, global_iterator<T, Pattern> to)
{
  return { std::move(values), [=](std::vector<T> &sent, transfer &t) {
            const T *const first = sent.data();

            t = copy_async(first, first + sent.size(), to);
          } };
}

/** The first of some futures that is ready: waits for one. Those that are not valid are passed over; `last` if none
 *  is. */
template <typename Iterator>
Iterator wait_any(Iterator first, Iterator last)
{
  for (bool is_waiting = true; is_waiting;) {
    is_waiting = false;
    for (Iterator i = first; i != last; ++i)
      if (i->valid()) {
        if (i->is_ready())
          return i;
        is_waiting = true;
      }
  }
  return last;
}

}  // namespace garray

#endif
