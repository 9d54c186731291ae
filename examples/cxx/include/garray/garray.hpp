#ifndef GARRAY_GARRAY_HPP
#define GARRAY_GARRAY_HPP
/* garray: global arrays in C++17, over DART's public headers alone. A small library to start from.
 *
 *   runtime.hpp    run() a program; errors as exceptions; teams
 *   pattern.hpp    who owns which element: in blocks, or dealt out in turn
 *   array.hpp      the array: local(), operator[], iterators
 *   algorithm.hpp  for_each, fill, accumulate by the owners; copy by anyone
 *   matrix.hpp     a matrix by rows; multiply and transpose, the owner computes
 *   future.hpp     elements on their way: fetch, send, wait_any
 *   halo_matrix.hpp  a matrix in blocks with halos around them, for stencils
 *   hash_map.hpp   keys and values that any unit inserts, finds and changes
 *   sort.hpp       sort a range, by sampling
 *   resilient_array.hpp  an array that outlives the units that have it
 *   element.hpp, memory.hpp, reference.hpp, iterator.hpp: what these are made of
 *
 * Constructors and destructors of what has global memory are collective, so such objects live on
 * all units of their team alike, inside run(). ../../pi.cc is a first program; futures.cc, heat.cc,
 * words.cc, sort.cc and outlive.cc beside it show one header each and test it, views.cc shows std::span and
 * ranges over local(), and test.cc uses all the rest once. */
#include "algorithm.hpp"
#include "array.hpp"
#include "future.hpp"
#include "halo_matrix.hpp"
#include "hash_map.hpp"
#include "matrix.hpp"
#include "pattern.hpp"
#include "resilient_array.hpp"
#include "runtime.hpp"
#include "sort.hpp"

#endif
