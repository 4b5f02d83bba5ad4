#include "discretization/forms/flow_matrices.h"

#include "base/exceptions.h"
#include "discretization/forms/load.h"

#include <deal.II/base/function.h>
#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_q.h>

#include <algorithm>

namespace adamant
{
namespace
{
CSRMatrix<double> local_product(const CSRMatrix<double> &A, const CSRMatrix<double> &B)
{
  CSRMatrix<double> C;
  C.n_rows = A.n_rows;
  C.n_cols = B.n_cols;
  C.row_start.resize(A.n_rows + 1);
  // `last_row` holds the last row that had each column.
  const auto columns_of_row = [&](int row, std::vector<int> &columns, std::vector<int> &last_row) {
    columns.clear();
    for (int k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
      for (int l = B.row_start[A.column[k]]; l < B.row_start[A.column[k] + 1]; ++l)
        if (const int column = B.column[l]; last_row[column] != row)
          {
            last_row[column] = row;
            columns.push_back(column);
          }
    std::sort(columns.begin(), columns.end());
  };
#pragma omp parallel
  {
    std::vector<int> columns, last_row(B.n_cols, -1);
#pragma omp for schedule(static)
    for (int row = 0; row < A.n_rows; ++row)
      {
        columns_of_row(row, columns, last_row);
        C.row_start[row + 1] = static_cast<int>(columns.size());
      }
  }
  finish_row_starts(C);
#pragma omp parallel
  {
    std::vector<int>    columns, last_row(B.n_cols, -1);
    std::vector<double> sums(B.n_cols, 0.);
#pragma omp for schedule(static)
    for (int row = 0; row < A.n_rows; ++row)
      {
        columns_of_row(row, columns, last_row);
        for (int k = A.row_start[row]; k < A.row_start[row + 1]; ++k)
          for (int l = B.row_start[A.column[k]]; l < B.row_start[A.column[k] + 1]; ++l)
            sums[B.column[l]] += A.value[k] * B.value[l];
        for (std::size_t c = 0; c < columns.size(); ++c)
          {
            C.column[C.row_start[row] + c] = columns[c];
            C.value[C.row_start[row] + c]  = sums[columns[c]];
            sums[columns[c]]               = 0.;
          }
      }
  }
  return C;
}

// The integrals of the shape functions, added up for the free nodes: a lumped mass matrix.
template <int dim>
Array<double> lumped_mass(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                          const dealii::Quadrature<dim> &quadrature)
{
  const dealii::Functions::ConstantFunction<dim> one(1.);
  return transposed_product(space.owned_H(),
                            load_vector(space, mapping, quadrature, dealii::QGauss<dim - 1>(2), one, {}));
}

// A + c 1 1ᵀ, c so that its effect on constants is that of the average diagonal entry; A is on one rank.
CSRMatrix<double> with_constants(const CSRMatrix<double> &A, const Array<unsigned char> &is_free)
{
  const int n        = A.n_rows;
  double    diagonal = 0;
  long      n_free   = 0;
  for (int i = 0; i < n; ++i)
    if (is_free[i])
      {
        diagonal += entry(A, i, i);
        ++n_free;
      }
  const double      c = n_free > 0 ? diagonal / (static_cast<double>(n_free) * n_free) : 0.; // another rank's: nothing
  CSRMatrix<double> B;
  B.n_rows = B.n_cols = n;
  B.ghosts            = A.ghosts;
  B.row_start.resize(n + 1);
  for (int i = 0; i < n; ++i)
    B.row_start[i + 1] = n;
  finish_row_starts(B);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      {
        const std::size_t k = std::size_t(i) * n + j;
        B.column[k]         = j;
        B.value[k]          = entry(A, i, j) + (is_free[i] && is_free[j] ? c : 0.);
      }
  return B;
}
} // namespace

CSRMatrix<double> product(const CSRMatrix<double> &A, const CSRMatrix<double> &B)
{
  if (!A.ghosts)
    return local_product(A, B);
  // Each rank multiplies its rows of B: it needs the columns of A for them, and gives away parts of rows of the product.
  const MPI_Comm    comm = A.ghosts->communicator.handle();
  const Partitioner rows(owned_range(A.n_rows, comm), comm);
  const auto        columns_of_A = sum_rows(transpose(A), *make_partitioner(*A.ghosts), rows);
  return sum_rows(local_product(transpose(columns_of_A), B), *make_partitioner(*columns_of_A.ghosts),
                  *make_partitioner(*B.ghosts));
}

template <int dim>
FlowMatrices<dim>::FlowMatrices(dealii::Triangulation<dim> &velocity_mesh, const dealii::Mapping<dim> &mapping,
                                const dealii::Quadrature<dim>              &quadrature,
                                const std::set<dealii::types::boundary_id> &outflow, unsigned int coarsest_cells,
                                unsigned int cells_per_rank)
{
  using dealii::update_gradients;
  using dealii::update_JxW_values;
  using dealii::update_values;
  const unsigned int pressure_cells = velocity_mesh.n_global_active_cells() >> dim;
  for (const auto &cell : velocity_mesh.active_cell_iterators())
    if (cell->is_locally_owned() && (cell->level() == 0 || cell->parent()->n_active_descendants() != 1u << dim))
      throw RunError("flow matrices: the last refinement of the velocity mesh has to be global");

  const dealii::FE_Q<dim> fe(1);
  DirichletBoundary       zero_pressure;
  for (const auto id : outflow)
    zero_pressure[id] = dealii::ComponentMask();
  hierarchy                           = std::make_unique<Hierarchy<dim>>(velocity_mesh, fe, zero_pressure,
                                               std::min(coarsest_cells, pressure_cells), cells_per_rank);
  const std::size_t n_pressure_levels = hierarchy->n_levels() - 1;
  if (const auto n = pressure().dof_handler().get_triangulation().n_global_active_cells(); n != pressure_cells)
    throw RunError("flow matrices: the mesh cannot be coarsened to the pressure mesh (" + std::to_string(n) +
                   " cells where " + std::to_string(pressure_cells) + " were expected)");
  velocity = std::make_unique<LevelSpace<dim>>(
    std::shared_ptr<const dealii::Triangulation<dim>>(&velocity_mesh, [](const void *) {}), fe, DirichletBoundary());

  {
    Assembly<dim> assembly(*velocity, mapping, quadrature, update_values | update_gradients | update_JxW_values,
                           std::vector<Columns>(1 + dim, Columns::dofs));
    assembly.assemble([](const auto &, const auto &fe_values, auto &local) {
      for (const unsigned int q : fe_values.quadrature_point_indices())
        for (const unsigned int i : fe_values.dof_indices())
          for (const unsigned int j : fe_values.dof_indices())
            {
              const auto grad = fe_values.shape_grad(j, q) * fe_values.JxW(q);
              local[0](i, j) += grad * fe_values.shape_grad(i, q);
              for (unsigned int d = 0; d < dim; ++d)
                local[1 + d](i, j) += fe_values.shape_value(i, q) * grad[d];
            }
    });
    const auto &nodes = velocity->partition();
    stiffness         = sum_rows(std::move(assembly.matrices[0]), nodes, nodes);
    for (unsigned int d = 0; d < dim; ++d)
      gradient[d] = sum_rows(std::move(assembly.matrices[1 + d]), nodes, nodes);
  }
  velocity_mass = lumped_mass(*velocity, mapping, quadrature);
  pressure_mass = lumped_mass(pressure(), mapping, quadrature);

  const auto &top = hierarchy->data().back();
  interpolation   = product(velocity->owned_H(), top.prolongation);
  for (unsigned int d = 0; d < dim; ++d)
    divergence[d] = product(top.restriction, gradient[d]);

  singular = true;
  for (std::size_t l = 0; l < n_pressure_levels; ++l)
    {
      const auto &space = hierarchy->space(l);
      singular          = singular && space.prescribed_partition().size() == 0;
      Assembly<dim> assembly(space, mapping, quadrature, update_gradients | update_JxW_values, {Columns::unknowns});
      assembly.assemble([](const auto &, const auto &fe_values, auto &local) {
        for (const unsigned int q : fe_values.quadrature_point_indices())
          for (const unsigned int i : fe_values.dof_indices())
            for (const unsigned int j : fe_values.dof_indices())
              local[0](i, j) += fe_values.shape_grad(i, q) * fe_values.shape_grad(j, q) * fe_values.JxW(q);
      });
      pressure_levels.push_back({sum_rows(std::move(assembly.matrices[0]), space.partition(), space.partition()),
                                 hierarchy->data()[l].prolongation, hierarchy->data()[l].restriction, 1});
    }
  if (singular)
    {
      const auto          &coarsest = hierarchy->space(0);
      Array<unsigned char> is_free(coarsest.n_owned());
      for (int i = 0; i < coarsest.n_owned(); ++i)
        is_free[i] = coarsest.is_free(i);
      pressure_levels[0].matrix = with_constants(pressure_levels[0].matrix, is_free);
    }
}

template struct FlowMatrices<2>;
template struct FlowMatrices<3>;
} // namespace adamant
