#pragma once

// The parts of a time step on the GPU: products in each precision against cuSPARSE, the V-cycle, the Krylov steps.

#include "algebra/cuda/backend.h"
#include "multigrid/v_cycle.h"

#include "cusparse_products.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

using namespace adamant;

// Median seconds of one `operation`, a number of them recorded as one graph; `nodes` gets the graph nodes of one.
template <class Backend, class Operation>
double seconds(const Backend &backend, const Operation &operation, int *nodes = nullptr)
{
  constexpr int repeat = 20, samples = 15;
  const auto    graph = backend.record([&] {
    for (int i = 0; i < repeat; ++i)
      operation();
  });
  if (nodes != nullptr)
    *nodes = graph.recording->n_nodes / repeat;
  std::vector<double> times;
  for (int i = 0; i < samples; ++i)
    {
      backend.synchronize();
      const auto begin = std::chrono::steady_clock::now();
      backend.replay(graph);
      backend.synchronize();
      times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / repeat);
    }
  std::sort(times.begin(), times.end());
  return times[samples / 2];
}

inline void line(const std::string &what, double time, double bytes = 0)
{
  std::printf("%-58s %9.2f us", what.c_str(), 1e6 * time);
  if (bytes > 0)
    std::printf("  %7.1f MB as CSR would need: %.2f TB/s", 1e-6 * bytes, 1e-12 * bytes / time);
  std::printf("\n");
}

// Bytes that one V-cycle has to move: each pass over a matrix and the vectors it reads and writes, nothing from a cache. `packed`:
// the matrices as they are stored here, else in compressed rows of node blocks.
template <typename Number>
double cycle_bytes(const CudaBackend<Number> &backend, const std::vector<LevelData> &data, const MultigridOptions &options, bool packed)
{
  const auto matrix = [&](const CSRMatrix<double> &A, int block_size, bool dense) -> double {
    if (packed)
      return backend.create_matrix(A, block_size).bytes();
    return double(A.n_nonzeros()) * (sizeof(Number) + 4. / (dense ? block_size * block_size : 1)) + 4. * A.n_rows;
  };
  double bytes = 0;
  for (std::size_t l = 1; l < data.size(); ++l)
    {
      const auto  &level = data[l];
      const double n = sizeof(Number) * double(level.matrix.n_rows), coarse = sizeof(Number) * double(level.prolongation.n_cols);
      const double A = matrix(level.matrix, level.block_size, true), D = n * level.block_size;
      const double step = A + D + (options.smoother.chebyshev ? 5. : 3.) * n; // b, x, y and with Chebyshev the direction twice
      bytes += (D + 2. * n) + (options.pre_steps - 1) * step + options.post_steps * step; // the first step needs no A
      bytes += A + 3. * n + matrix(level.restriction, level.block_size, false) + n + coarse;
      bytes += matrix(level.prolongation, level.block_size, false) + coarse + 2. * n;
    }
  const double coarsest = data.front().matrix.n_rows;
  return bytes + sizeof(Number) * coarsest * coarsest;
}

template <typename Number>
void measure(const CudaBackend<double> &full, const std::vector<LevelData> &data, const MultigridOptions &options, const char *precision, double bandwidth)
{
  const CudaBackend<Number> backend = [&] {
    if constexpr (std::is_same_v<Number, double>)
      return full;
    else
      return CudaBackend<Number>(full);
  }();
  const auto  &top = data.back();
  const int    n   = top.matrix.n_rows;
  const auto   bytes_of = [](const CSRMatrix<double> &A) {
    return double(A.n_nonzeros()) * (4 + sizeof(Number)) + double(A.n_rows + A.n_cols) * sizeof(Number);
  };
  auto D = backend.create_vector(n * top.block_size);
  auto x = backend.create_vector(n), y = backend.create_vector(n), b = backend.create_vector(n), d = backend.create_vector(n);
  const std::vector<double> ones(n, 1.);
  for (auto *v : {&x, &b, &d})
    backend.upload(ones.data(), *v);
  std::printf("-- %s\n", precision);
  for (const auto &[name, time] : time_cusparse<Number>(top.matrix, top.block_size))
    line(name, time, bytes_of(top.matrix));
  const auto A = backend.create_matrix(top.matrix, top.block_size), P = backend.create_matrix(top.prolongation, top.block_size),
             R = backend.create_matrix(top.restriction, top.block_size);
  std::printf("A: %s\nP: %s\nR: %s\n", A.format().c_str(), P.format().c_str(), R.format().c_str());
  auto coarse = backend.create_vector(P.n_cols);
  line("A x", seconds(backend, [&] { backend.spmv(1, A, x, 0, y); }), bytes_of(top.matrix));
  line("jacobi_step", seconds(backend, [&] { backend.jacobi_step(A, d, 1, Number(1e-3), b, x, y); }));
  line("jacobi_two_steps", seconds(backend, [&] { backend.jacobi_two_steps(A, d, Number(1e-3), b, x, y); }));
  if (top.block_size > 1)
    line("chebyshev_step by node blocks",
         seconds(backend, [&] { backend.chebyshev_step(A, D, top.block_size, Number(0.5), Number(0.5), b, x, d, d, y); }));
  line("residual", seconds(backend, [&] { backend.residual(A, x, b, y); }));
  line("R x", seconds(backend, [&] { backend.spmv(1, R, x, 0, coarse); }), bytes_of(top.restriction));
  line("y + P x", seconds(backend, [&] { backend.spmv(1, P, coarse, 1, y); }), bytes_of(top.prolongation));

  // The same matrix with values that all differ: what the format does without repeated values.
  CSRMatrix<double> general = top.matrix;
  for (std::size_t k = 0; k < general.value.size(); ++k)
    general.value[k] *= 1. + 1e-4 * (k % 1000003) / 1000003.;
  const auto G = backend.create_matrix(general, top.block_size);
  std::printf("A with all values different: %s\n", G.format().c_str());
  line("A x, all values different", seconds(backend, [&] { backend.spmv(1, G, x, 0, y); }), bytes_of(general));

  const Multigrid<CudaBackend<Number>> mg(backend, data, options);
  int                                  nodes = 0;
  const double                         time  = seconds(backend, [&] { mg.vmult(b); }, &nodes);
  line("V-cycle V(" + std::to_string(options.pre_steps) + "," + std::to_string(options.post_steps) + "), " + std::to_string(data.size()) + " levels, " + std::to_string(nodes) + " graph nodes", time);
  for (const bool packed : {true, false})
    {
      const double bytes = cycle_bytes(backend, data, options, packed);
      std::printf("  its bytes %s: %.1f MB, at the copy bandwidth %.1f us; measured / that: %.2f\n",
                  packed ? "as stored" : "in blocked compressed rows", 1e-6 * bytes, 1e6 * bytes / bandwidth, time * bandwidth / bytes);
    }
  for (std::size_t l = data.size() - 1; l > 0; --l)
    {
      const std::vector<LevelData>         part(data.begin(), data.begin() + l);
      const Multigrid<CudaBackend<Number>> lower(backend, part, options);
      auto                                 rhs = backend.create_vector(part.back().matrix.n_rows);
      line("  from level with " + std::to_string(part.back().matrix.n_rows) + " unknowns", seconds(backend, [&] { lower.vmult(rhs); }));
    }

  std::vector<CudaVector<Number>> basis;
  auto                            h = backend.create_scalars(9);
  for (int k = 0; k < 5; ++k)
    {
      basis.push_back(backend.create_vector(n));
      backend.upload(ones.data(), basis.back());
    }
  for (const int k : {1, 2, 3, 4})
    line("orthonormalize against " + std::to_string(k), seconds(backend, [&] { backend.orthonormalize(basis, k, basis[k], h); }));
  auto s = backend.create_scalars(2);
  line("residual_norms", seconds(backend, [&] { backend.residual_norms(A, x, b, y, s); }));
  // What the host waits for: one reduction and its result; a recorded one.
  const auto wall = [&](const auto &operation) {
    std::vector<double> times;
    for (int i = 0; i < 200; ++i)
      {
        backend.synchronize();
        const auto begin = std::chrono::steady_clock::now();
        operation();
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      }
    std::sort(times.begin(), times.end());
    return times[100];
  };
  auto small = backend.create_vector(32);
  line("dot of 32 numbers, launched and fetched", wall([&] { backend.dot(small, small); }));
  line("set_zero of 32 numbers, launched only", wall([&] { backend.set_zero(small); }));
  line("scale of 32 numbers, launched only", wall([&] { backend.scale(1, small); }));
  const auto short_graph = backend.record([&] { backend.scale(1, small); });
  const auto long_graph  = backend.record([&] { mg.vmult(b); });
  line("graph of one kernel, launched and waited for", wall([&] { backend.replay(short_graph); backend.synchronize(); }));
  line("graph of a V-cycle, launched only", wall([&] { backend.replay(long_graph); }));
  line("graph of a V-cycle, launched and waited for", wall([&] { backend.replay(long_graph); backend.synchronize(); }));
  const double a[] = {1., -1., 1.};
  line("multi_axpy of 3", seconds(full, [&] {
         if constexpr (std::is_same_v<Number, double>)
           backend.multi_axpy(basis, 3, a, x);
         else
           backend.convert(x, y);
       }));
}

/// All parts for one hierarchy, in both precisions.
inline void measure_parts(const std::vector<LevelData> &data, const MultigridOptions &options, const std::string &problem)
{
  const CudaBackend<double> backend;
  const double              bandwidth = backend.copy_bandwidth();
  std::printf("copy within device memory: %.2f TB/s (read plus written)\n", 1e-12 * bandwidth);
  std::printf("%s, %s, %d unknowns\n", backend.device_name().c_str(), problem.c_str(), data.back().matrix.n_rows);
  measure<double>(backend, data, options, "double", bandwidth);
  measure<float>(backend, data, options, "float", bandwidth);
}
