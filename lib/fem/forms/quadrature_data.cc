#include "fem/forms/quadrature_data.h"

#include "base/csr/csr_operations.h"
#include "base/exceptions.h"
#include "fem/forms/cell_loop.h"
#include "fem/ranks/distributed_rows.h"

#include <vector>

namespace adamant
{
template <int dim>
std::vector<unsigned int> first_components(const dealii::FiniteElement<dim> &fe)
{
  std::vector<unsigned int> first;
  for (unsigned int a = 0; a < fe.n_dofs_per_cell() / fe.n_components(); ++a)
    first.push_back(fe.component_to_system_index(0, a));
  return first;
}

template <int dim>
QuadratureData<dim>::QuadratureData(const Device &device, const LevelSpace<dim> &space,
                                    const dealii::Mapping<dim> &mapping, const dealii::Quadrature<dim> &quadrature,
                                    dealii::UpdateFlags flags)
  : n_cells(space.n_cells())
  , n(space.dofs_per_cell() / space.node_size())
  , n_q(static_cast<int>(quadrature.size()))
{
  const auto &fe = space.element();
  if (space.node_size() != static_cast<int>(fe.n_components()))
    throw RunError("assembly on a device: the element " + fe.get_name() + " has nodes of different components");
  to_index(std::size_t(n_cells) * n_q, "quadrature points");

  const Array<int> cells  = numbers_below(n_cells);
  const auto       shapes = shapes_of(space, cells, cells_of_same_shape(space, cells, mapping, flags));
  Array<int>       node_of_cell(std::size_t(n_cells) * n);
  const auto       first = first_components(fe);
#pragma omp parallel for schedule(static)
  for (int cell = 0; cell < n_cells; ++cell)
    for (int a = 0; a < n; ++a)
      node_of_cell[std::size_t(cell) * n + a] = space.cell_dofs(cell)[first[a]] / space.node_size();
  shape = List<int>(device, shapes.number);
  node  = List<int>(device, node_of_cell);
  tabulate_shapes(device, space, mapping, quadrature, flags, shapes.first);
}

// Of the shapes that `cells` have.
template <int dim>
void QuadratureData<dim>::tabulate_shapes(const Device &device, const LevelSpace<dim> &space,
                                          const dealii::Mapping<dim>    &mapping,
                                          const dealii::Quadrature<dim> &quadrature, dealii::UpdateFlags flags,
                                          const Array<int> &cells)
{
  const auto       &fe       = space.element();
  const auto        first    = first_components(fe);
  const bool        hessians = (flags & dealii::update_hessians) != 0;
  const std::size_t n_points = cells.size() * n_q;
  Array<double> values(std::size_t(n_q) * n), gradients(n_points * n * dim), laplacians(hessians ? n_points * n : 0),
    weights(n_points);
  for (int q = 0; q < n_q; ++q)
    for (int a = 0; a < n; ++a)
      values[q * n + a] = fe.shape_value(first[a], quadrature.point(q));
#pragma omp parallel
  {
    dealii::FEValues<dim> fe_values(mapping, fe, quadrature,
                                    dealii::update_gradients | dealii::update_JxW_values |
                                      (hessians ? dealii::update_hessians : dealii::update_default));
#pragma omp for schedule(static)
    for (std::size_t s = 0; s < cells.size(); ++s)
      {
        fe_values.reinit(space.active_cells()[cells[s]]);
        for (int q = 0; q < n_q; ++q)
          {
            weights[s * n_q + q] = fe_values.JxW(q);
            for (int a = 0; a < n; ++a)
              {
                const std::size_t place = (s * n_q + q) * n + a;
                for (int d = 0; d < dim; ++d)
                  gradients[place * dim + d] = fe_values.shape_grad(first[a], q)[d];
                if (hessians)
                  laplacians[place] = trace(fe_values.shape_hessian(first[a], q));
              }
          }
      }
  }
  value    = List<double>(device, values);
  gradient = List<double>(device, gradients);
  if (hessians)
    laplacian = List<double>(device, laplacians);
  JxW = List<double>(device, weights);
}

template <int dim>
ShapesView QuadratureData<dim>::view() const
{
  return {n,
          n_q,
          elements(value),
          elements(gradient),
          laplacian.size() > 0 ? elements(laplacian) : nullptr,
          elements(JxW),
          elements(shape),
          elements(node)};
}

template <int dim>
CSRMatrix<double> sum_of_cell_loads(const LevelSpace<dim> &space, bool prescribed)
{
  const int      n        = space.dofs_per_cell();
  const auto     of_cells = matrix_of_rows(space.n_cells() * n, space.n_dofs(), [&](int entry, Row &row) {
    row.emplace_back(space.cell_dofs(entry / n)[entry % n], 1.);
  });
  const MPI_Comm comm     = space.partition().get_mpi_communicator();
  return sum_rows(local_product(transpose(prescribed ? space.B : space.H), transpose(of_cells)),
                  prescribed ? space.prescribed_partition() : space.partition(),
                  *make_partitioner(owned_range(of_cells.n_rows, comm), {}, comm));
}

template decltype(sum_of_cell_loads<2>) sum_of_cell_loads<2>;
template decltype(sum_of_cell_loads<3>) sum_of_cell_loads<3>;
template decltype(first_components<2>)  first_components<2>;
template decltype(first_components<3>)  first_components<3>;
template class QuadratureData<2>;
template class QuadratureData<3>;
} // namespace adamant
