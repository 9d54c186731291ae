#ifndef GARRAY_RUNTIME_HPP
#define GARRAY_RUNTIME_HPP
/* The edge to DART: its error codes become exceptions, its start and end a function that runs the
 * program, its teams objects.
 *
 * Units are counted by std::size_t everywhere in this library: patterns compute with them. What
 * DART calls a team id of a unit is a number below team::size(). */
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <dash/dart/if/dart.h>

namespace garray
{

/** A call of DART that did not return DART_OK. DART has said on stderr what was wrong with it. */
class error : public std::runtime_error
{
public:
  error(const char *call, dart_ret_t code)
      : std::runtime_error(std::string(call) + " failed with code " + std::to_string(code)),
        code_(code)
  {
  }

  dart_ret_t code() const noexcept
  {
    return code_;
  }

private:
  dart_ret_t code_;
};

/** Throw an error that names `call` unless `ret` is DART_OK. */
inline void check(dart_ret_t ret, const char *call)
{
  if (ret != DART_OK)
    throw error(call, ret);
}

/** A team, named by its id: copies name the same team, and none of them owns it. */
class team
{
public:
  /** The team of all units. */
  team() : team(DART_TEAM_ALL)
  {
  }

  /** The team `id`; throws if this unit is not a member. */
  explicit team(dart_team_t id) : id_(id)
  {
    dart_team_unit_t me;

    check(dart_team_myid(id, &me), "dart_team_myid");
    check(dart_team_size(id, &size_), "dart_team_size");
    me_ = static_cast<std::size_t>(me.id);
  }

  dart_team_t id() const noexcept
  {
    return id_;
  }

  /** This unit's number in the team, 0 .. size() - 1. */
  std::size_t me() const noexcept
  {
    return me_;
  }

  std::size_t size() const noexcept
  {
    return size_;
  }

  /** Collective. What any member did before it, plain stores and completed transfers, every member
   *  sees after it. */
  void barrier() const
  {
    check(dart_barrier(id_), "dart_barrier");
  }

private:
  dart_team_t id_;
  std::size_t me_;
  std::size_t size_;
};

/** A team of its own for every part of another one; the object owns the part this unit is in.
 *  Arrays over it must be gone before it is. */
class team_part
{
public:
  /** Collective over `whole`: cut it into at most `nparts` parts of consecutive units. */
  team_part(const team &whole, std::size_t nparts)
  {
    std::vector<dart_group_t> raw(nparts);
    dart_group_t              all;
    std::size_t               nfilled;

    check(dart_team_get_group(whole.id(), &all), "dart_team_get_group");
    const group members(all);
    check(dart_group_split(all, nparts, &nfilled, raw.data()), "dart_group_split");
    const std::vector<group> parts(raw.begin(), raw.end());

    for (const group &part : parts) {
      dart_team_t id;

      check(dart_team_create(whole.id(), part.get(), &id), "dart_team_create");
      if (id != DART_TEAM_NULL)
        id_.reset(id);
    }
  }

  /** The part this unit is in. */
  team get() const
  {
    return team(id_.value);
  }

private:
  struct destroy_group {
    void operator()(dart_group_t part) const noexcept
    {
      dart_group_destroy(&part);
    }
  };
  using group = std::unique_ptr<std::remove_pointer<dart_group_t>::type, destroy_group>;

  /* Destroying the team is collective over it, as every destructor of this library is. */
  struct owned_id {
    owned_id() = default;
    owned_id(owned_id &&other) noexcept : value(std::exchange(other.value, DART_TEAM_NULL))
    {
    }
    owned_id &operator=(owned_id &&other) noexcept
    {
      if (this != &other)
        reset(std::exchange(other.value, DART_TEAM_NULL));
      return *this;
    }
    ~owned_id()
    {
      reset(DART_TEAM_NULL);
    }
    void reset(dart_team_t id) noexcept
    {
      dart_team_destroy(&value); /* of DART_TEAM_NULL: nothing */
      value = id;
    }

    dart_team_t value = DART_TEAM_NULL;
  };

  owned_id id_;
};

namespace detail
{

[[noreturn]] inline void end_program() noexcept
{
  try {
    if (std::exception_ptr thrown = std::current_exception())
      std::rethrow_exception(thrown);
  } catch (const std::exception &e) {
    std::fprintf(stderr, "garray: %s\n", e.what());
  } catch (...) {
    std::fprintf(stderr, "garray: an exception that is no std::exception\n");
  }
  dart_abort(EXIT_FAILURE);
}

}  // namespace detail

/** Run `body()` between dart_init and dart_exit, on every unit; its result is the unit's exit code.
 *
 *  An exception that nobody catches ends the program on all units. That happens where it is thrown:
 *  nothing is destroyed, since destructors are collective, and the others do not come to them. So
 *  catch inside of `body` what all units throw alike, and nothing around run(). */
template <typename Body>
int run(int argc, char **argv, Body body)
{
  const std::terminate_handler before = std::set_terminate(detail::end_program);

  check(dart_init(&argc, &argv), "dart_init");
  const int code = body();
  check(dart_exit(), "dart_exit");
  std::set_terminate(before);
  return code;
}

}  // namespace garray

#endif
