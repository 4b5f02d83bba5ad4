#include "discretization/dealii_preconditioner.h"

#include "algebra/host_backend.h"
#include "multigrid/multigrid.h"

#include <string>

namespace adamant
{
template <typename Number>
struct DealiiPreconditioner<Number>::Implementation
{
  using Backend = HostBackend<Number>;

  Implementation(const std::vector<LevelData> &levels, const MultigridOptions &options, int n_threads)
    : backend(n_threads)
    , multigrid(backend, levels, options)
    , b(backend.create_vector(levels.back().matrix.n_rows))
  {}

  Backend                  backend;
  Multigrid<Backend>       multigrid;
  typename Backend::Vector b;
};

template <typename Number>
DealiiPreconditioner<Number>::DealiiPreconditioner(const std::vector<LevelData> &levels,
                                                   const MultigridOptions &options, int n_threads)
  : implementation(std::make_unique<Implementation>(levels, options, n_threads))
{
  // Constrained rows are those of the identity (see LevelData).
  const auto &A = levels.back().matrix;
  for (int i = 0; i < A.n_rows; ++i)
    if (A.row_start[i + 1] == A.row_start[i] + 1 && A.column[A.row_start[i]] == i)
      constrained.emplace_back(i, 1.);
}

template <typename Number>
DealiiPreconditioner<Number>::~DealiiPreconditioner() = default;

template <typename Number>
void DealiiPreconditioner<Number>::update(const std::vector<LevelData> &levels)
{
  implementation->multigrid.update(levels);
}

template <typename Number>
void DealiiPreconditioner<Number>::check_size(std::size_t n) const
{
  if (n != static_cast<std::size_t>(implementation->b.size()))
    throw RunError("multigrid preconditioner: the vector has " + std::to_string(n) +
                   " entries, but the finest level has " + std::to_string(implementation->b.size()));
}

template <typename Number>
void DealiiPreconditioner<Number>::apply(const double *src, double *dst) const
{
  implementation->backend.upload(src, implementation->b);
  implementation->backend.download(implementation->multigrid.vmult(implementation->b), dst);
}

template class DealiiPreconditioner<float>;
template class DealiiPreconditioner<double>;
} // namespace adamant
