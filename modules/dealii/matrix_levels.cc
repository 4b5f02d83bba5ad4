#include "dealii/matrix_levels.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "base/exchange_plan.h"
#include "dealii/forest_space.h"
#include "dealii/ranks.h"
#include "dealii/threads.h"
#include "fem/meshes/level_meshes.h"
#include "fem/meshes/mesh.h"
#include "fem/spaces/field.h"
#include "fem/spaces/numbering.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace adamant
{
namespace
{
Array<char> with_ghosts_of(const CSRMatrix<double> &matrix, const Array<char> &owned)
{
  if (!matrix.ghosts)
    return owned;
  const auto all = with_ghosts(*matrix.ghosts, Array<double>(owned.begin(), owned.end()));
  return Array<char>(all.begin(), all.end());
}

// Returns the kinds of the coarse DoFs from the kinds of the fine ones. A row of R has the values of a coarse shape
// function at the fine nodes.
Array<char> coarse_kinds(const CSRMatrix<double> &R, const Array<char> &fine)
{
  const auto  of_column = with_ghosts_of(R, fine);
  Array<char> kinds(R.n_rows);
#pragma omp parallel for schedule(static)
  for (int j = 0; j < R.n_rows; ++j)
    {
      double at_free = 0., at_prescribed = 0.;
      for (auto k = R.row_start[j]; k < R.row_start[j + 1]; ++k)
        {
          double &largest = of_column[R.column[k]] == free_dof ? at_free : at_prescribed;
          largest         = std::max(largest, std::abs(R.value[k]));
        }
      if (R.row_start[j] == R.row_start[j + 1])
        kinds[j] = hanging_dof;
      else
        kinds[j] = at_prescribed > at_free + 1e-9 ? prescribed_dof : free_dof;
    }
  return kinds;
}

// Returns the entries in free rows and columns.
SharedMatrix free_part(const CSRMatrix<double> &matrix, const Array<char> &rows, const Array<char> &columns)
{
  const auto of_column = with_ghosts_of(matrix, columns);
  const auto for_free  = [&](int i, const auto &action) {
    for (auto k = matrix.row_start[i]; rows[i] == free_dof && k < matrix.row_start[i + 1]; ++k)
      if (of_column[matrix.column[k]] == free_dof)
        action(k);
  };
  auto part    = std::make_shared<CSRMatrix<double>>();
  part->n_rows = matrix.n_rows;
  part->n_cols = matrix.n_cols;
  part->ghosts = matrix.ghosts;
  part->row_start.resize(matrix.n_rows + 1);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < matrix.n_rows; ++i)
    {
      part->row_start[i + 1] = 0;
      for_free(i, [&](EntryNumber) { ++part->row_start[i + 1]; });
    }
  finish_row_starts(*part);
#pragma omp parallel for schedule(static)
  for (int i = 0; i < matrix.n_rows; ++i)
    {
      EntryNumber to = part->row_start[i];
      for_free(i, [&](EntryNumber k) {
        part->column[to]  = matrix.column[k];
        part->value[to++] = matrix.value[k];
      });
    }
  return part;
}

Array<char> are_free(const Array<char> &kinds)
{
  Array<char> free(kinds.size());
  std::transform(kinds.begin(), kinds.end(), free.begin(), [](char kind) { return kind == free_dof; });
  return free;
}

template <int dim>
std::unique_ptr<LevelSpace<dim>> coarser_space(const LevelMesh<dim> &mesh, const dealii::FiniteElement<dim> &element)
{
  if (mesh.forest)
    return forest_space(mesh, element);
  return std::make_unique<LevelSpace<dim>>(mesh.cells, element, DirichletBoundary());
}

// Runs what has few parallel parts beside other work, where there are threads. Meanwhile this thread has half of them,
// so that teams do not wait for a thread that has no core. On meshes of p4est such work waits, as threads may not call
// MPI at once.
class WorkBeside
{
public:
  explicit WorkBeside(bool distributed)
    : n_threads(omp_get_max_threads())
    , waits(distributed || n_threads < 4)
    , kept(waits ? n_threads : n_threads / 2)
  {}
  static constexpr int alone = std::numeric_limits<int>::max();

  // A team of n / `share` threads, or of one, works on `action`.
  template <class Action>
  auto start(int share, const Action &action) const
  {
    return std::async(waits ? std::launch::deferred : std::launch::async, [=, n = n_threads, in_team = !waits] {
      if (in_team)
        omp_set_num_threads(std::max(1, n / share)); // of the new thread
      return action();
    });
  }

private:
  const int       n_threads;
  const bool      waits;
  const ThreadsOf kept;
};

template <int dim>
using Spaces = std::vector<std::unique_ptr<LevelSpace<dim>>>;

// The spaces of levels that are on the way: of the next coarser level, which has most cells, and of all below it.
template <int dim>
class CoarserSpaces
{
public:
  CoarserSpaces(const WorkBeside &beside, const LevelMeshes<dim> &meshes, const dealii::FiniteElement<dim> &element)
  {
    const std::size_t n = meshes.size() - 1;
    if (n == 0)
      return;
    largest = beside.start(4, [&, n] { return coarser_space(meshes[n - 1], element); });
    others  = beside.start(8, [&, n] {
      Spaces<dim> spaces;
      for (std::size_t l = 0; l + 1 < n; ++l)
        spaces.push_back(coarser_space(meshes[l], element));
      return spaces;
    });
  }
  Spaces<dim> get()
  {
    if (!largest.valid())
      return {};
    auto spaces = others.get();
    spaces.push_back(largest.get());
    return spaces;
  }

private:
  std::future<std::unique_ptr<LevelSpace<dim>>> largest;
  std::future<Spaces<dim>>                      others;
};
} // namespace

template <int dim>
DofHierarchy dof_hierarchy(const dealii::DoFHandler<dim> &dofs, const dealii::ComponentMask &components,
                           unsigned int coarsest_cells, const dealii::AffineConstraints<double> *constraints,
                           Array<char> &kinds)
{
  const Communicator ranks(dofs.get_communicator());
  agreed(ranks, [&] { check_dofs(dofs, components); });
  check_mesh_of(dofs);
  const auto               &mesh = dofs.get_triangulation();
  std::optional<WorkBeside> beside(is_distributed(mesh));
  auto       by_dealii = beside->start(WorkBeside::alone, [&dofs] { return hanging_node_constraints(dofs, false); });
  const auto element   = element_of(dofs, components);
  LevelMeshOptions options;
  options.coarsest_cells = coarsest_cells;
  options.forests_alone  = numbered_by_forest(mesh, *element);
  const LevelMeshes<dim> meshes(mesh, options);
  CoarserSpaces<dim>     coarser(*beside, meshes, *element);
  Array<int>             table;
  DofHierarchy           result;
  result.dofs              = number_user_dofs(*meshes.finest_cells(), dofs, components, table);
  const auto hanging_nodes = by_dealii.get();
  auto       fine          = user_space(meshes.finest_cells(), *element, result.dofs, std::move(table), hanging_nodes);
  if (constraints != nullptr)
    kinds = dof_kinds(result.dofs, *constraints, hanging_nodes);
  result.node_size = fine->node_size();
  result.transfer.resize(meshes.size());
  auto spaces = coarser.get();
  beside.reset(); // this thread has all threads again
  for (std::size_t l = meshes.size() - 1; l > 0; --l)
    {
      result.transfer[l] = transfer_matrices(meshes[l], *fine, *spaces[l - 1]);
      fine               = std::move(spaces[l - 1]);
    }
  return result;
}

MatrixLevels::MatrixLevels(const Device &device, bool on_device, DofHierarchy hierarchy, Array<char> kinds,
                           const MatrixRows &rows)
  : device(device)
  , user(std::move(hierarchy.dofs))
  , rows_per_node(hierarchy.node_size)
  , values(std::make_shared<UserValues>())
  , user_matrix(rows, user, std::move(kinds), *values)
{
  make_coarser(std::move(hierarchy.transfer));
  if (on_device && matrices.size() > 1)
    move_to_device();
}

void MatrixLevels::make_coarser(std::vector<Transfer> transfer)
{
  const std::size_t n_levels = transfer.size();
  matrices.resize(n_levels);
  data.resize(n_levels);
  products.reserve(n_levels);
  matrices.back()   = std::shared_ptr<CSRMatrix<double>>(values, &values->A);
  Array<char> kinds = user_matrix.kinds();
  for (std::size_t l = n_levels; --l > 0;)
    {
      Array<char> coarser  = coarse_kinds(transfer[l].restriction, kinds);
      data[l].prolongation = free_part(std::exchange(transfer[l].prolongation, {}), kinds, coarser);
      data[l].restriction  = free_part(std::exchange(transfer[l].restriction, {}), coarser, kinds);
      products.emplace_back(data[l].prolongation, data[l].restriction, are_free(coarser));
      matrices[l - 1] = std::make_shared<CSRMatrix<double>>(products.back().compute(*matrices[l]));
      kinds           = std::move(coarser);
    }
  coarsest_free = are_free(kinds);
  for (std::size_t l = 0; l < n_levels; ++l)
    {
      data[l].values    = SharedMatrix(matrices[l]);
      data[l].node_size = rows_per_node;
    }
  regularize_coarsest();
}

void MatrixLevels::move_to_device()
{
  const auto fits    = [](const auto &A) { return A->n_nonzeros() <= std::numeric_limits<int>::max(); };
  const bool all_fit = std::all_of(matrices.begin(), matrices.end(), fits) &&
                       std::all_of(products.begin(), products.end(), [](const auto &p) { return p.fits_device(); });
  if (on_any_rank(user.ranks, !all_fit))
    return;
  agreed(user.ranks, [&] {
    for (std::size_t l = 0; l < matrices.size(); ++l)
      {
        on_device.push_back(std::make_shared<CompressedRows>(rows_on_device(device, *matrices[l])));
        if (l > 0)
          data[l].values = ValuesOnDevice{matrices[l], on_device[l]};
        if (l > 0 && l + 1 < matrices.size())
          matrices[l]->value = Array<double>();
      }
  });
}

void MatrixLevels::update_on_device()
{
  on_device.back()->values.upload(values->A.value.data());
  for (std::size_t k = 0, l = matrices.size() - 1; l > 0; --l, ++k)
    products[k].update(device, *on_device[l], *matrices[l - 1], *on_device[l - 1]);
  matrices.front()->value = to_host(on_device.front()->values);
}

bool MatrixLevels::update(const MatrixRows &rows)
{
  if (!user_matrix.copy_values(rows, user, *values))
    return false;
  if (!on_device.empty())
    update_on_device();
  else
    for (std::size_t k = 0, l = matrices.size() - 1; l > 0; --l, ++k)
      products[k].update(*matrices[l], *matrices[l - 1]);
  return !on_any_rank(user.ranks, !regularize_coarsest());
}

namespace
{
// Returns constants that A maps to zero, as lists of the rows where they are one. Each connected part may have some,
// of single components, or of all together. They are in the kernel where the rows' sums vanish. Prescribed DoFs have
// been left out, so that rows beside them have other sums.
std::vector<std::vector<int>> constants_in_kernel(const CSRMatrix<double> &A, const Array<char> &is_free, int m)
{
  std::vector<std::vector<int>> constants;
  std::vector<char>             seen(A.n_rows, 0);
  for (int first = 0; first < A.n_rows; ++first)
    {
      std::vector<int>  part;
      std::vector<char> differs(m + 1, 0); // of each component, and of all together
      const auto        meet = [&](int i) {
        if (is_free[i] != 0 && seen[i] == 0)
          part.push_back(i);
        seen[i] = 1;
      };
      meet(first);
      for (std::size_t p = 0; p < part.size(); ++p)
        {
          const int           i = part[p];
          std::vector<double> sum(m + 1, 0.);
          double              size = 0.;
          for (int j = i - i % m; j < i - i % m + m; ++j)
            meet(j);
          for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
            {
              meet(A.column[k]);
              sum[A.column[k] % m] += A.value[k];
              sum[m] += A.value[k];
              size += std::abs(A.value[k]);
            }
          for (int c = 0; c <= m; ++c)
            if (!(std::abs(sum[c]) <= 1e-10 * size))
              differs[c] = 1;
        }
      std::sort(part.begin(), part.end());
      const std::size_t n = constants.size();
      for (int c = 0; c < m; ++c)
        {
          std::vector<int> ones;
          if (differs[c] == 0)
            std::copy_if(part.begin(), part.end(), std::back_inserter(ones), [=](int i) { return i % m == c; });
          if (!ones.empty())
            constants.push_back(std::move(ones));
        }
      if (constants.size() == n && differs[m] == 0 && !part.empty())
        constants.push_back(std::move(part));
    }
  return constants;
}
} // namespace

// The terms are as large as the mean diagonal entry. A matrix that is spread over ranks is smoothed alone and stays.
// Returns whether the pattern is as before.
bool MatrixLevels::regularize_coarsest()
{
  CSRMatrix<double> A = *matrices.front();
  const auto        constants =
    A.n_cols == A.n_rows ? constants_in_kernel(A, coarsest_free, rows_per_node) : std::vector<std::vector<int>>();
  if (!constants.empty())
    {
      const int        n        = A.n_rows;
      const auto       diagonal = adamant::diagonal(A);
      std::vector<Row> rows(n);
      for (int i = 0; i < n; ++i)
        for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
          rows[i].emplace_back(A.column[k], A.value[k]);
      for (const auto &ones : constants)
        {
          double trace = 0.;
          for (const int i : ones)
            trace += diagonal[i];
          const double size = static_cast<double>(ones.size());
          if (n > most_dense_rows)
            rows[ones[0]].emplace_back(ones[0], diagonal[ones[0]]);
          else
            for (const int i : ones)
              for (const int j : ones)
                rows[i].emplace_back(j, trace / size / size);
        }
      const auto ghosts = A.ghosts;
      A                 = matrix_of_rows(n, A.n_cols, [&](int i, Row &row) {
        row = std::move(rows[i]);
        compress(row);
      });
      A.ghosts          = ghosts;
    }
  const bool same = coarsest && coarsest->column == A.column && coarsest->row_start == A.row_start;
  if (same)
    coarsest->value = std::move(A.value);
  else
    coarsest = std::make_shared<CSRMatrix<double>>(std::move(A));
  data.front().values = SharedMatrix(coarsest);
  return same;
}

bool is_symmetric(const CSRMatrix<double> &A, const Communicator &ranks)
{
  Array<double> x(A.n_cols), y(A.n_cols); // ghosts included
#pragma omp parallel for schedule(static)
  for (int j = 0; j < A.n_cols; ++j)
    {
      const double number = A.ghosts ? static_cast<double>(A.ghosts->global(j)) : j;
      x[j]                = std::sin(1. + 1.3 * number);
      y[j]                = std::cos(2. + 0.7 * number);
    }
  double of_xy = 0., of_yx = 0., bound = 0.; // xᵀA y, yᵀA x
#pragma omp parallel for schedule(static) reduction(+ : of_xy, of_yx, bound)
  for (int i = 0; i < A.n_rows; ++i)
    {
      double Ax = 0., Ay = 0.;
      for (auto k = A.row_start[i]; k < A.row_start[i + 1]; ++k)
        {
          Ax += A.value[k] * x[A.column[k]];
          Ay += A.value[k] * y[A.column[k]];
        }
      of_xy += x[i] * Ay;
      of_yx += y[i] * Ax;
      bound += std::abs(x[i] * Ay) + std::abs(y[i] * Ax);
    }
  double sums[] = {of_xy, of_yx, bound};
  ranks.sum(sums, 3);
  return std::abs(sums[0] - sums[1]) <= 1e-11 * sums[2];
}

template DofHierarchy dof_hierarchy(const dealii::DoFHandler<2> &, const dealii::ComponentMask &, unsigned int,
                                    const dealii::AffineConstraints<double> *, Array<char> &);
template DofHierarchy dof_hierarchy(const dealii::DoFHandler<3> &, const dealii::ComponentMask &, unsigned int,
                                    const dealii::AffineConstraints<double> *, Array<char> &);
} // namespace adamant
