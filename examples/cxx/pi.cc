/* pi, by the midpoint rule on 1/(1+x^2): a first program with garray. The terms are an array over
 * all units; every unit computes those it owns, and the sum is taken over all.
 *
 *   dartrun -n 4 ./pi */
#include <garray/garray.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv)
{
  return garray::run(argc, argv, [] {
    garray::array<double> terms(100000);
    const double          width = 1.0 / static_cast<double>(terms.size());

    garray::for_each_index(terms.begin(), terms.end(), [=](std::size_t i, double &term) {
      const double x = (static_cast<double>(i) + 0.5) * width;

      term = 4.0 / (1.0 + x * x) * width;
    });

    const double pi = garray::accumulate(terms.begin(), terms.end(), 0.0);

    if (terms.owners().me() == 0)
      std::printf("pi is %.9f, say %zu units\n", pi, terms.owners().size());
    return std::abs(pi - 3.14159265) < 1e-8 ? EXIT_SUCCESS : EXIT_FAILURE;
  });
}
