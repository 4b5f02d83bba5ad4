#pragma once

// The parts of a time step on the GPU: products in each precision against cuSPARSE, the V-cycle, the Krylov steps.

#include "algebra/device.h"
#include "algebra/functors.h"
#include "algebra/graph.h"
#include "algebra/loop.h"
#include "multigrid/coarse_solver.h"
#include "multigrid/linear_solver.h"
#include "multigrid/smoothers/functors.h"
#include "multigrid/multigrid_preconditioner.h"
#include "operators/linear_operator.h"
#include "solvers/cg_functors.h"
#include "solvers/gmres_functors.h"

#include "cusparse_products.h"
#include "solvers/krylov.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

using namespace adamant;
using Clock = std::chrono::steady_clock;

inline double median(std::vector<double> times)
{
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

// Median seconds of one `operation`, a number of them recorded as one graph; `nodes` gets the graph nodes of one.
inline double seconds(const Device &device, const std::function<void()> &operation, int *nodes = nullptr)
{
  constexpr int repeat = 20, samples = 15;
  const Graph   graph(device, [&] {
    for (int i = 0; i < repeat; ++i)
      operation();
  });
  if (nodes != nullptr)
    *nodes = graph.n_operations() / repeat;
  std::vector<double> times;
  for (int i = 0; i < samples; ++i)
    {
      device.synchronize();
      const auto begin = Clock::now();
      graph.replay();
      device.synchronize();
      times.push_back(std::chrono::duration<double>(Clock::now() - begin).count() / repeat);
    }
  return median(times);
}

inline void line(const std::string &what, double time, double bytes = 0)
{
  std::printf("%-58s %9.2f us", what.c_str(), 1e6 * time);
  if (bytes > 0)
    std::printf("  %7.1f MB as CSR would need: %.2f TB/s", 1e-6 * bytes, 1e-12 * bytes / time);
  std::printf("\n");
}

// Bytes that one V-cycle has to move: each pass over a matrix and the vectors it reads and writes, nothing from a
// cache.
// `packed`: the matrices as they are stored here, else in compressed rows of node blocks.
template <typename Number>
double cycle_bytes(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options,
                   bool packed)
{
  const auto matrix = [&](const CSRMatrix<double> &A, int node_size, bool dense) -> double {
    if (packed)
      return Matrix<Number>(device, A, node_size).bytes();
    return double(A.n_nonzeros()) * (sizeof(Number) + 4. / (dense ? node_size * node_size : 1)) + 4. * A.n_rows;
  };
  double bytes = 0;
  for (std::size_t l = 1; l < data.size(); ++l)
    {
      const auto  &level  = data[l];
      const double n      = sizeof(Number) * double(level.n_rows()),
                   coarse = sizeof(Number) * double(level.prolongation->n_cols);
      const double A = matrix(level.matrix(), level.node_size, true), D = n * level.node_size;
      // b, x, y and with Chebyshev the direction twice.
      const double step = A + D + (options.smoother.chebyshev ? 5. : 3.) * n;
      bytes += (D + 2. * n) + (options.pre_steps - 1) * step + options.post_steps * step; // the first step needs no A
      bytes += A + 3. * n + matrix(*level.restriction, level.node_size, false) + n + coarse;
      bytes += matrix(*level.prolongation, level.node_size, false) + coarse + 2. * n;
    }
  const double coarsest = data.front().n_rows();
  return bytes + sizeof(Number) * coarsest * coarsest;
}

inline double csr_bytes(const CSRMatrix<double> &A, std::size_t size)
{
  return double(A.n_nonzeros()) * (4 + size) + double(A.n_rows + A.n_cols) * size;
}

// Measures products and smoothing steps with the finest matrix and its transfer, beside cuSPARSE's.
template <typename Number>
void measure_products(const Device &device, const LevelData &top)
{
  const auto          bytes_of = [](const CSRMatrix<double> &A) { return csr_bytes(A, sizeof(Number)); };
  const auto          at       = [&](const CSRMatrix<double> &A) { return Matrix<Number>(device, A, top.node_size); };
  const int           n = top.n_rows(), m = top.node_size;
  const Array<double> ones(n, 1.);
  Vector<Number>      D(device, n * m), x(device, ones), y(device, n), b(device, ones), d(device, ones);
  for (const auto &[name, time] : time_cusparse<Number>(top.matrix(), m))
    line(name, time, bytes_of(top.matrix()));
  const auto A = at(top.matrix()), P = at(*top.prolongation), R = at(*top.restriction);
  std::printf("A: %s\nP: %s\nR: %s\n", A.format().c_str(), P.format().c_str(), R.format().c_str());
  Vector<Number> coarse(device, P.n_cols());
  const auto     product = [&](const Matrix<Number> &M, const Vector<Number> &from, double factor, Vector<Number> &to) {
    return seconds(device, [&] { device.multiply(Number(1), M, from, Number(factor), to); });
  };
  line("A x", product(A, x, 0, y), bytes_of(top.matrix()));
  line("a step of Jacobi", seconds(device, [&] {
         device.for_each_row(
           A, x, JacobiStep<Number>({0, Number(1e-3), d.data(), b.data(), x.data(), nullptr, nullptr, y.data()}));
       }));
  line("two steps of Jacobi from zero", seconds(device, [&] {
         device.for_each_row(A, FirstJacobiStep<Number>{Number(1e-3), d.data(), b.data()},
                             SecondJacobiStep<Number>(Number(1e-3), d.data(), b.data(), y.data()));
       }));
  if (m > 1)
    line("a step of Chebyshev by node blocks", seconds(device, [&] {
           device.for_each_row(
             A, x,
             NodeJacobiStep<Number>(
               m, n / m, {Number(0.5), Number(0.5), D.data(), b.data(), x.data(), d.data(), d.data(), y.data()}));
         }));
  line("residual", seconds(device, [&] { device.residual(A, x, b, y); }));
  line("R x", product(R, x, 0, coarse), bytes_of(*top.restriction));
  line("y + P x", product(P, coarse, 1, y), bytes_of(*top.prolongation));

  // The same matrix with values that all differ: what the format does without repeated values.
  CSRMatrix<double> general = top.matrix();
  for (std::size_t k = 0; k < general.value.size(); ++k)
    general.value[k] *= 1. + 1e-4 * (k % 1000003) / 1000003.;
  const Matrix<Number> G(device, general, m);
  std::printf("A with all values different: %s\n", G.format().c_str());
  line("A x, all values different", product(G, x, 0, y), bytes_of(general));
}

template <typename Number>
void measure_cycle(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options,
                   double bandwidth)
{
  const VCycle<Number> cycle(device, data, options);
  Vector<Number>       b(device, Array<double>(cycle.n_rows(), 1.));
  int                  nodes = 0;
  const double         time  = seconds(
             device, [&] { cycle.vmult(b); }, &nodes);
  line("V-cycle V(" + std::to_string(options.pre_steps) + "," + std::to_string(options.post_steps) + "), " +
         std::to_string(data.size()) + " levels, " + std::to_string(nodes) + " graph nodes",
       time);
  for (const bool packed : {true, false})
    {
      const double bytes = cycle_bytes<Number>(device, data, options, packed);
      std::printf("  its bytes %s: %.1f MB, at the copy bandwidth %.1f us; measured / that: %.2f\n",
                  packed ? "as stored" : "in blocked compressed rows", 1e-6 * bytes, 1e6 * bytes / bandwidth,
                  time * bandwidth / bytes);
    }
  for (std::size_t l = data.size() - 1; l > 0; --l)
    {
      const VCycle<Number> lower(device, {data.begin(), data.begin() + l}, options);
      Vector<Number>       rhs(device, lower.n_rows());
      line("  from level with " + std::to_string(lower.n_rows()) + " unknowns",
           seconds(device, [&] { lower.vmult(rhs); }));
    }
  const Graph graph(device, [&] { cycle.vmult(b); });
  const auto  wall = [&](bool waits) {
    std::vector<double> times;
    for (int i = 0; i < 200; ++i)
      {
        device.synchronize();
        const auto begin = Clock::now();
        graph.replay();
        if (waits)
          device.synchronize();
        times.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
      }
    return median(times);
  };
  line("graph of a V-cycle, launched only", wall(false));
  line("graph of a V-cycle, launched and waited for", wall(true));
}

// What each kernel of a V-cycle takes on each level, beside the 1 us of a graph node that does next to nothing.
template <typename Number>
void measure_levels(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &options)
{
  std::printf("level  unknowns     step  first step  residual    R r   y + P x, us\n");
  for (std::size_t l = data.size(); l-- > 0;)
    {
      const LevelData          &level = data[l];
      const int                 n = level.n_rows(), m = level.node_size;
      const Array<double>       ones(n, 1.);
      const Vector<Number>      D(device, n * m), b(device, ones);
      Vector<Number>            x(device, ones), y(device, n), d(device, ones);
      const DeviceLevel<Number> on(device, level);
      const auto us = [&](const std::function<void()> &operation) { return 1e6 * seconds(device, operation); };
      if (l == 0)
        {
          const auto coarse = make_coarse_solver(on, options);
          std::printf("%5zu %9d %8.2f%s\n", l, n, us([&] { coarse->solve(b, y); }), coarse->description().c_str());
          break;
        }
      const JacobiUpdate<Number> update{Number(0.1), Number(0.1), D.data(), b.data(),
                                        x.data(),    d.data(),    d.data(), y.data()};
      const Matrix<Number>       P(device, *level.prolongation, m), R(device, *level.restriction, m);
      Vector<Number>             coarse(device, P.n_cols());
      const double               step  = us([&] {
        if (m == 1)
          device.for_each_row(on.A, x, JacobiStep<Number>(update));
        else
          device.for_each_row(on.A, x, NodeJacobiStep<Number>(m, n / m, update));
      });
      const double               first = us([&] {
        if (m == 1)
          device.for_each(n, ScaleByDiagonal<Number>{Number(0.1), D.data(), b.data(), y.data()});
        else
          device.for_each(n, ScaleByNodeBlocks<Number>{m, n / m, Number(0.1), D.data(), b.data(), y.data()});
      });
      std::printf("%5zu %9d %8.2f %11.2f %9.2f %6.2f %9.2f   %s\n", l, n, step, first,
                  us([&] { device.residual(on.A, x, b, y); }),
                  us([&] { device.multiply(Number(1), R, y, Number(0), coarse); }),
                  us([&] { device.multiply(Number(1), P, coarse, Number(1), y); }), on.A.format().c_str());
    }
}

// What an iteration of CG and one of GMRES with three vectors take, operation by operation, with the V-cycle in float.
inline void measure_iterations(const Device &device, const std::vector<LevelData> &data,
                               const MultigridOptions &options)
{
  const int                            n = data.back().n_rows(), restart = 30, k = 2;
  const Matrix<double>                 A(device, data.back().matrix(), data.back().node_size);
  const MatrixOperator                 A_operator(A, device);
  const MultigridPreconditioner<float> M(device, data, options);
  const Array<double>                  ones(n, 1.);
  Vector<double>                       w(device, ones), r(device, ones), p(device, n), s(device, n), x(device, n);
  Vector<float>                        r_in_float = M.input_in_float();
  Scalars             scalars(device, 4), norms(device, 5), memory(device, GMRESNumbers::size(restart));
  Shared<CGState>     cg(device);
  Shared<GMRESState>  gmres(device);
  VectorTable<double> basis(device, n, restart + 1);
  VectorTable<float>  directions(device, n, restart);
  for (int i = 0; i <= k + 1; ++i)
    {
      basis.add();
      directions.add();
    }
  SolverControl    control;
  const GMRESState start{control, 0, restart, restart, true, w.data(), x.data()};
  device.for_each(1, StartSolve<GMRESState>{start, gmres.data(), norms.data(), far_guess, r.data(), x.data(),
                                            r.data(), nullptr, 0});
  device.for_each(1, Assign<int>{k, &gmres.data()->k});
  Scalars                 answer(device, 1);
  const LoopAnswer        to_host{0, reinterpret_cast<int *>(answer.on_host())};
  const GMRESNumbers      numbers(memory.data(), restart);
  const Vector<float>    &z       = M.vmult_in_float(r_in_float);
  const auto              cycle   = [&] { M.vmult_in_float(r_in_float); };
  const auto              product = [&] { A_operator.multiply_float(z, w); };
  const CGProducts<float> products{r.data(), z.data(), w.data()};
  const CGUpdate<float>   update{z.data(), w.data(), p.data(),          s.data(),
                               x.data(), r.data(), r_in_float.data(), cg.data()};
  const CGControl         cg_control{cg.data(), cg.on_host(), norms.data(), scalars.data()};
  ArnoldiVectors          vectors{n,        restart, &gmres.data()->k, basis.data(), nullptr, nullptr,
                         w.data(), nullptr, numbers.column};
  vectors.z_in_float          = z.data();
  vectors.directions_in_float = directions.data();
  vectors.v_in_float          = r_in_float.data();
  for (const int up_to : {0, 5000, 20000, 80000, 300000})
    for (const int entries : {100000, 300000, 1000000})
      if (up_to < 4 * n && (up_to > 0 || entries == 300000))
        {
          MultigridOptions composed                  = options;
          composed.compose_up_to                     = up_to;
          composed.entries_of_an_operation           = entries;
          const auto                           begin = Clock::now();
          const MultigridPreconditioner<float> cycle(device, data, composed);
          const double                         setup = std::chrono::duration<double>(Clock::now() - begin).count();
          const Vector<float>                  b     = cycle.input_in_float();
          int                                  nodes = 0;
          const double                         time  = seconds(
                                     device, [&] { cycle.vmult_in_float(b); }, &nodes);
          line("V-cycle in float, composed up to " + std::to_string(up_to) + ", an operation worth " +
                 std::to_string(entries) + ", " + std::to_string(nodes) + " nodes, made in " +
                 std::to_string(int(1e3 * setup)) + " ms",
               time);
        }
  line("A z", seconds(device, product));
  line("CG: inner products, update, norm and control",
       seconds(device, [&] { device.sums(n, products, update, scalars, cg_control, to_host); }));
  line("CG: an iteration without the loop", seconds(device, [&] {
         cycle();
         product();
         device.sums(n, products, update, scalars, cg_control, to_host);
       }));
  line("GMRES: orthonormalisation against three", seconds(device, [&] { device.arnoldi(vectors); }));
  line("GMRES: an iteration without control and loop", seconds(device, [&] {
         cycle();
         product();
         device.arnoldi(vectors);
       }));
  line("residual and norms in double", seconds(device, [&] {
         A_operator.residual(x, w, r);
         device.norms(r, w, norms);
       }));
}

// Solves from a zero guess to several tolerances with the V-cycle in float. The time is a line over the iterations: its
// slope is the time of an iteration, its start the time of a solve without iterations.
inline void measure_solves(const Device &device, const std::vector<LevelData> &data, const MultigridOptions &multigrid)
{
  const Array<double>  ones(data.back().n_rows(), 1.);
  const Vector<double> b(device, ones);
  Vector<double>       x(device, b.size());
  for (const auto &[name, type] : {std::pair("GMRES", SolverType::gmres), {"CG", SolverType::cg}})
    {
      LinearSolverOptions options;
      options.type      = type;
      options.precision = Precision::float32;
      options.multigrid = multigrid;
      LinearSolver solver(device, data, options);
      for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8})
        try
          {
            SolverControl       control;
            std::vector<double> times;
            control.tolerance = tolerance;
            int iterations    = 0;
            for (int i = 0; i < 100; ++i)
              {
                x.set_zero();
                device.synchronize();
                const auto begin = Clock::now();
                iterations       = solver.solve(b, x, control).iterations;
                times.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
              }
            line(std::string("solve by ") + name + " to " + to_text(tolerance) + ", " + std::to_string(iterations) +
                   " iterations",
                 median(times));
          }
        catch (const SolverError &error)
          {
            std::printf("%s\n", error.what());
            break;
          }
    }
}

template <typename Number>
void measure_reductions(const Device &device, int n)
{
  Vector<Number> x(device, Array<double>(n, 1.)), small(device, 32);
  Scalars        h(device, 2);
  line("two norms", seconds(device, [&] { device.norms(x, x, h); }));
  std::vector<double> times;
  for (int i = 0; i < 200; ++i)
    {
      device.synchronize();
      const auto begin = Clock::now();
      device.dot(small, small);
      times.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
    }
  line("dot of 32 numbers, launched and fetched", median(times));
}

/// All parts for one hierarchy, in both precisions, or what small problems wait for.
inline void measure_parts(const std::vector<LevelData> &data, const MultigridOptions &options,
                          const std::string &problem, bool latency_only = false)
{
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  const Device device    = Device::cuda();
  const double bandwidth = device.interface().copy_bandwidth();
  const int    n         = data.back().n_rows();
  std::printf("copy within device memory: %.2f TB/s (read plus written)\n", 1e-12 * bandwidth);
  std::printf("%s, %s, %d unknowns\n", device.name().c_str(), problem.c_str(), n);
  const auto measure = [&](const char *precision, auto number) {
    using Number = decltype(number);
    std::printf("-- %s\n", precision);
    measure_products<Number>(device, data.back());
    measure_cycle<Number>(device, data, options, bandwidth);
    measure_reductions<Number>(device, n);
    measure_levels<Number>(device, data, options);
  };
  measure_solves(device, data, options);
  measure_iterations(device, data, options);
  if (latency_only)
    return measure_levels<float>(device, data, options);
  measure("double", 0.);
  measure("float", 0.f);
}
