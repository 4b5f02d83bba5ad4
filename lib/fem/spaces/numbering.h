#pragma once

#include "base/array.h"
#include "fem/meshes/cell_list.h"
#include "fem/ranks/distributed_rows.h"

#include <deal.II/dofs/dof_handler.h>
#include <deal.II/fe/fe.h>
#include <deal.II/lac/affine_constraints.h>
#include <deal.II/lac/full_matrix.h>

#include <cmath>
#include <memory>
#include <vector>

namespace adamant
{
/// The numbers of the DoFs of a list of cells, and the constraints at hanging nodes and of periodic faces.
template <int dim>
struct Numbering
{
  std::shared_ptr<const CellList<dim>>     cells;         ///< the list, or active cells where a DoFHandler numbers
  std::shared_ptr<dealii::DoFHandler<dim>> dofs;          ///< null where no DoFHandler has been made
  std::shared_ptr<const Partitioner>       partition;     ///< the global numbers of the local DoFs
  Array<int>                               cell_dofs;     ///< local numbers, [cell * dofs per cell + i]
  dealii::AffineConstraints<double>        hanging_nodes; ///< closed, in global numbers
};

/// Numbers the DoFs of `cells` by their positions. Q1 and Q2 are numbered by vertices, lines, faces and interiors of
/// the cells, other elements by a DoFHandler, which takes more time and memory. All ranks of the mesh call it together.
/// Throws IndexOverflow where an int cannot count the DoFs.
template <int dim>
Numbering<dim> number_dofs(std::shared_ptr<const CellList<dim>> cells, const dealii::FiniteElement<dim> &fe);

/// The numbering without a DoFHandler, for meshes without periodic faces, where entities_suffice(): no vertex, line,
/// face or interior of a cell has two DoFs of a component. Then the orientation of lines and faces plays no part.
template <int dim>
Numbering<dim> number_by_entities(const CellList<dim> &cells, const dealii::FiniteElement<dim> &fe);
template <int dim>
bool entities_suffice(const dealii::FiniteElement<dim> &fe);

/// Returns the entries of row i that are no rounding errors.
inline Row nonzeros(const dealii::FullMatrix<double> &matrix, unsigned int i)
{
  Row row;
  for (unsigned int j = 0; j < matrix.n(); ++j)
    if (std::abs(matrix(i, j)) > 1e-12)
      row.emplace_back(static_cast<int>(j), matrix(i, j));
  return row;
}

/// Returns the nonzeros of row i of matrix_of(child) at [child][i]: weights that link the DoFs of a cell and of its
/// children.
template <int dim, class MatrixOf>
std::vector<std::vector<Row>> rows_of_children(const MatrixOf &matrix_of)
{
  std::vector<std::vector<Row>> rows(dealii::GeometryInfo<dim>::max_children_per_cell);
  for (unsigned int child = 0; child < rows.size(); ++child)
    {
      const dealii::FullMatrix<double> &matrix = matrix_of(child);
      for (unsigned int i = 0; i < matrix.m(); ++i)
        rows[child].push_back(nonzeros(matrix, i));
    }
  return rows;
}

/// Returns for each face of a cell the DoFs that have support on it.
template <int dim>
std::vector<std::vector<int>> dofs_on_faces(const dealii::FiniteElement<dim> &fe)
{
  std::vector<std::vector<int>> on_face(dealii::GeometryInfo<dim>::faces_per_cell);
  for (unsigned int f = 0; f < on_face.size(); ++f)
    for (unsigned int i = 0; i < fe.n_dofs_per_cell(); ++i)
      if (fe.has_support_on_face(i, f))
        on_face[f].push_back(static_cast<int>(i));
  return on_face;
}

/// Returns the closed constraints at hanging nodes and, with `periodic`, of periodic faces. All ranks of the mesh call
/// it together.
template <int dim>
dealii::AffineConstraints<double> hanging_node_constraints(const dealii::DoFHandler<dim> &dofs, bool periodic = true);
} // namespace adamant
