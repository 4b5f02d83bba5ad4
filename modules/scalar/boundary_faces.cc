#include "scalar/boundary_faces.h"

#include "fem/forms/cell_rows.h"
#include "fem/ranks/distributed_rows.h"

#include <deal.II/base/quadrature_lib.h>
#include <deal.II/fe/fe_values.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace adamant
{
// One thread finds the faces, as boundaries are small.
template <int dim>
BoundaryFaces<dim>::BoundaryFaces(const Device &device, const LevelSpace<dim> &space,
                                  const dealii::Mapping<dim> &mapping, const std::set<unsigned int> &ids)
  : device(device)
  , space(&space)
  , per_cell(space.dofs_per_cell())
{
  dealii::FEFaceValues<dim>       values(mapping, space.element(), dealii::QGauss<dim - 1>(space.element().degree + 1),
                                         dealii::update_values | dealii::update_JxW_values |
                                           dealii::update_quadrature_points);
  std::vector<dealii::Point<dim>> found;
  Array<int>                      number_of_cell(ids.empty() ? 0 : space.n_cells(), -1);
  for (int c = 0; c < static_cast<int>(number_of_cell.size()); ++c)
    {
      const typename dealii::Triangulation<dim>::cell_iterator of_mesh = space.active_cells()[c];
      for (const unsigned int f : of_mesh->face_indices())
        if (const unsigned int id = of_mesh->at_boundary(f) ? boundary_id(of_mesh->face(f)) : 0;
            of_mesh->at_boundary(f) && ids.count(id) > 0)
          {
            values.reinit(of_mesh, f);
            if (number_of_cell[c] < 0)
              number_of_cell[c] = n_matrices++;
            for (const unsigned int q : values.quadrature_point_indices())
              {
                found.push_back(values.quadrature_point(q));
                boundary.push_back(id);
                cell.push_back(c);
                JxW.push_back(values.JxW(q));
                for (int i = 0; i < per_cell; ++i)
                  shape.push_back(values.shape_value(i, q));
              }
          }
    }
  places.resize(dim * found.size());
  for (std::size_t k = 0; k < found.size(); ++k)
    for (int d = 0; d < dim; ++d)
      places[d * found.size() + k] = found[k][d];
  if (n_matrices > 0)
    make_integrals(number_of_cell);
}

template <int dim>
void BoundaryFaces<dim>::make_integrals(const Array<int> &number_of_cell)
{
  const int                     n_entries = per_cell * per_cell;
  std::vector<std::vector<int>> points_of(n_matrices);
  for (int k = 0; k < n_points(); ++k)
    points_of[number_of_cell[cell[k]]].push_back(k);
  number    = List<int>(device, number_of_cell);
  entries   = Vector<double>(device, to_index(std::size_t(n_matrices) * n_entries, "entries of matrices of faces"));
  integrals = Matrix<double>(device, matrix_of_rows(entries.size(), n_points(), [&](int row, Row &result) {
                               const int a = row % n_entries / per_cell, b = row % per_cell;
                               for (const int k : points_of[row / n_entries])
                                 result.emplace_back(k, shape[std::size_t(k) * per_cell + a] *
                                                          shape[std::size_t(k) * per_cell + b] * JxW[k]);
                             }));
}

template <int dim>
Matrix<double> BoundaryFaces<dim>::load() const
{
  std::vector<Row> row_of(space->n_dofs());
  for (int k = 0; k < n_points(); ++k)
    for_each_row_of_cell(*space, cell[k], [&](int i, int row, double weight) {
      row_of[row].emplace_back(k, weight * shape[std::size_t(k) * per_cell + i] * JxW[k]);
    });
  auto           local   = matrix_of_rows(space->n_dofs(), n_points(), [&](int row, Row &result) {
    result = row_of[row];
    compress(result);
  });
  const MPI_Comm comm    = space->partition().get_mpi_communicator();
  const auto     columns = make_partitioner(owned_range(n_points(), comm), {}, comm);
  return {device, sum_rows(std::move(local), space->partition(), *columns)};
}

template <int dim>
Matrix<double> BoundaryFaces<dim>::evaluation() const
{
  return {device, matrix_of_rows(n_points(), space->n_dofs(), [&](int k, Row &result) {
            for (int i = 0; i < per_cell; ++i)
              result.emplace_back(space->cell_dofs(cell[k])[i], shape[std::size_t(k) * per_cell + i]);
            compress(result);
          })};
}

template <int dim>
void BoundaryFaces<dim>::integrate(const Vector<double> &alpha)
{
  if (n_matrices > 0)
    device.multiply(1., integrals, alpha, 0., entries);
}

template class BoundaryFaces<2>;
template class BoundaryFaces<3>;
} // namespace adamant
