#include "stokes/stokes_matrices.h"

#include "base/csr/csr_operations.h"
#include "coefficients/coarser_values.h"
#include "fem/forms/assembly_tables.h"
#include "fem/forms/integrals.h"
#include "fem/ranks/distributed_rows.h"
#include "stokes/stokes_kernels.h"

#include <deal.II/base/function.h>
#include <deal.II/base/geometry_info.h>
#include <deal.II/fe/fe_q.h>
#include <deal.II/fe/fe_system.h>

#include <algorithm>
#include <cmath>

namespace adamant
{
namespace
{
// To the unknowns from values of cells, which are weighted: the integrals of the functions, so that a sum is one over
// the domain. At hanging nodes the functions of Q2 also change sign; in |H| they do not, and all entries are positive.
template <int dim, class Weight>
CSRMatrix<double> cells_to_masses(const LevelSpace<dim> &space, const Weight &weight)
{
  const auto               &fe = space.element();
  const dealii::QGauss<dim> quadrature(fe.degree + 1);
  std::vector<double>       integrals(fe.n_dofs_per_cell(), 0.); // over the unit cell
  for (unsigned int i = 0; i < integrals.size(); ++i)
    for (unsigned int q = 0; q < quadrature.size(); ++q)
      integrals[i] += fe.shape_value(i, quadrature.point(q)) * quadrature.weight(q);
  const auto        of_cells = matrix_of_rows(space.n_cells(), space.n_dofs(), [&](int cell, Row &row) {
    const double factor = space.active_cells()[cell]->measure() * weight(space.active_cells()[cell]);
    for (int i = 0; i < space.dofs_per_cell(); ++i)
      row.emplace_back(space.cell_dofs(cell)[i], factor * integrals[i]);
    std::sort(row.begin(), row.end());
  });
  CSRMatrix<double> H        = space.H;
  for (double &value : H.value)
    value = std::abs(value);
  const MPI_Comm comm = space.partition().get_mpi_communicator();
  return sum_rows(local_product(transpose(H), transpose(of_cells)), space.partition(),
                  *make_partitioner(owned_range(space.n_cells(), comm), {}, comm));
}

// B diag(c) Bᵀ over ranks, with rows of the identity where B has none.
CSRMatrix<double> scaled_product(const CSRMatrix<double> &B, const Array<double> &c, CSRMatrix<double> Bt)
{
  for (int i = 0; i < Bt.n_rows; ++i)
    for (auto k = Bt.row_start[i]; k < Bt.row_start[i + 1]; ++k)
      Bt.value[k] *= c[i];
  return with_identity_rows(adamant::product(B, Bt));
}

unsigned int degree_of(const StokesOptions &options)
{
  return options.element == VelocityElement::q2 ? 2 : 1;
}

// The velocity's: the finest one, for which it need not wait, or that of the pressure.
template <int dim>
std::optional<std::size_t> level_of(const LevelMeshes<dim> &meshes, const StokesOptions &options)
{
  return options.element == VelocityElement::q2 ? std::optional<std::size_t>(halved_level(meshes)) : std::nullopt;
}
} // namespace

template <int dim>
StokesMatrices<dim>::StokesMatrices(const Device &device, dealii::Triangulation<dim> &finest_mesh,
                                    const dealii::Mapping<dim> &mapping, const DirichletBoundary &dirichlet,
                                    const std::set<dealii::types::boundary_id> &walls,
                                    const std::set<dealii::types::boundary_id> &open, const StokesOptions &options)
  : meshes(finest_mesh, halved_mesh_options(finest_mesh, options.levels))
  , velocity(meshes, "velocity", dealii::FESystem<dim>(dealii::FE_Q<dim>(degree_of(options)), dim), dirichlet,
             level_of(meshes, options))
  , pressure(meshes, "pressure", dealii::FE_Q<dim>(1), {}, halved_level(meshes))
  , nodal_pressure(meshes, "pressure", dealii::FE_Q<dim>(1), {}, level_of(meshes, options))
  , quadrature(degree_of(options) + 1)
  , device(device)
  , options(options)
  , mapping(mapping)
  , open(open)
  , A(device, velocity, dirichlet, mapping, options.coarse_viscosity, options.products)
{
  assemble_divergence();
  assemble_masses();
  set_up_cells();
  if (options.schur == SchurComplement::bfbt)
    set_up_bfbt(walls);
}

// B on the velocity's mesh; for Q1 restricted to the pressure mesh, whose functions the finest mesh has, too.
template <int dim>
void StokesMatrices<dim>::assemble_divergence()
{
  const double weight = -1. / options.length;
  const auto   kernel = [weight](const CellContext<dim> &cell, dealii::FullMatrix<double> &local) {
    const auto &u = cell.columns();
    for (const unsigned int q : cell.quadrature_point_indices())
      for (const unsigned int i : cell.dof_indices())
        for (const unsigned int j : u.dof_indices())
          local(i, j) += weight * cell.value(i, q) * u.gradient(j, q)[u.component(j)] * cell.JxW(q);
  };
  const auto transfer     = is_q2() ? Transfer() : between_meshes();
  const auto on_pressures = [&](const Columns<dim> &columns) {
    Form<dim> form("B", nodal_pressure, columns, mapping, quadrature, stokes_flags, kernel);
    form.update();
    return is_q2() ? *form.finest() : product(transfer.restriction, *form.finest());
  };
  const auto H   = nodal_pressure.finest().owned_H();
  saddle_point.B = std::make_shared<const CSRMatrix<double>>(on_pressures(unknowns(velocity)));
  saddle_point.Bt =
    std::make_shared<const CSRMatrix<double>>(transposed_over_ranks(*saddle_point.B, velocity.finest().partition()));
  B_prescribed     = Matrix<double>(device, on_pressures(prescribed_values(velocity)));
  to_velocity_mesh = Matrix<double>(device, is_q2() ? H : product(H, transfer.prolongation));
}

template <int dim>
CSRMatrix<double> StokesMatrices<dim>::injection() const
{
  const auto &nodes = nodal_pressure.finest();
  return at_common_nodes(is_q2() ? nodes.owned_H() : product(nodes.owned_H(), between_meshes().prolongation), nodes,
                         pressure.finest());
}

template <int dim>
void StokesMatrices<dim>::assemble_masses()
{
  const auto                                    &pressures = pressure.finest();
  const dealii::Functions::ConstantFunction<dim> one(1.);
  const auto                                     volumes =
    load_vector(pressures, mapping, dealii::QGauss<dim>(2), dealii::QGauss<dim - 1>(2), everywhere(one), {});
  mean_weights = Vector<double>(device, transposed_product(pressures.owned_H(), volumes));
  Array<double> is_free(pressures.n_owned());
  for (int i = 0; i < pressures.n_owned(); ++i)
    is_free[i] = pressures.is_free(i);
  ones = Vector<double>(device, is_free);
  // The pressure's mesh has another volume than the velocity's where boundaries are curved.
  device.scale(1. / device.dot(mean_weights, ones), mean_weights);
}

// Where M and the levels find the viscosity of the velocity's cells.
template <int dim>
void StokesMatrices<dim>::set_up_cells()
{
  using Quadrature             = dealii::Quadrature<dim>;
  const auto      &finest      = meshes.finest();
  const Quadrature in_children = dealii::QIterated<dim>(dealii::QGauss<1>(2), 2), in_cells = dealii::QGauss<dim>(2);
  const auto      &points = is_q2() ? in_cells : in_children;
  M.emplace("M", pressure, unknowns(pressure), mapping, points, stokes_flags, nullptr);
  Array<int> parts; // for Q1 the child that has the point
  for (const auto &point : points.get_points())
    parts.push_back(is_q2() ? 0 : static_cast<int>(dealii::GeometryInfo<dim>::child_cell_from_point(point)));
  part_of_point = List<int>(device, parts);
  if (is_q2())
    {
      to_finest_mesh = Matrix<double>(device, values_of_parents(finest));
      of_finest      = Vector<double>(device, to_finest_mesh.n_rows());
      fluidity       = Vector<double>(device, velocity.finest().n_cells());
    }
  else
    {
      to_children = Matrix<double>(device, values_of_children(finest));
      fluidity    = Vector<double>(device, to_children.n_rows());
    }
}

// The velocity at an open boundary makes K there like the Laplacian of pressures that are zero on it.
template <int dim>
void StokesMatrices<dim>::set_up_bfbt(const std::set<dealii::types::boundary_id> &walls)
{
  V              = Matrix<double>(device, cells_to_masses(velocity.finest(), [&](const auto &cell) {
                       for (const unsigned int face : cell->face_indices())
                         if (cell->at_boundary(face) && walls.count(cell->face(face)->boundary_id()) > 0)
                           return options.bfbt_boundary_weight;
                       return 1.;
                     }));
  C              = Vector<double>(device, velocity.finest().n_owned());
  int most_cells = 0; // of a level, on this rank
  for (std::size_t level = 0; level < A.bilinear().n_levels(); ++level)
    most_cells = std::max(most_cells, A.bilinear().space(level).n_cells());
  weights = Vector<double>(device, most_cells);
  geometric_viscosity.emplace(device, A.bilinear(), Average::geometric);
  DirichletBoundary zero;
  for (const auto id : open)
    zero[id] = {};
  if (is_open())
    closed_pressure =
      std::make_unique<Field<dim>>(meshes, "pressure", dealii::FE_Q<dim>(1), zero, halved_level(meshes));
  const auto &field = is_open() ? *closed_pressure : pressure;
  laplacian.emplace("pressure Laplacian", field, unknowns(field), mapping, dealii::QGauss<dim>(2), stokes_flags,
                    nullptr, Levels::all);
  if (saddle_point.B->ghosts)
    K_of_ranks = std::make_shared<CSRMatrix<double>>();
  else
    K.emplace(device, *saddle_point.B, *saddle_point.Bt, velocity.node_size());
}

template <int dim>
void StokesMatrices<dim>::update(const Vector<double> &viscosity, const Vector<double> *at_points)
{
  given           = &viscosity;
  given_at_points = at_points;
  if (is_q2())
    device.multiply(1., to_finest_mesh, viscosity, 0., of_finest);
  else
    device.multiply(1., to_children, viscosity, 0., fluidity);
  const Vector<double> &finest = is_q2() ? of_finest : viscosity;
  // Once for each part, as a division at each point takes long.
  device.for_each(fluidity.size(), Power{1., -1., is_q2() ? viscosity.data() : fluidity.data(), fluidity.data()});
  const int n_parts = is_q2() ? 1 : 1 << dim;
  A.update(viscosity, finest, at_points);
  M->update(device, [&](std::size_t) {
    return WeightedMass{n_parts, part_of_point.size(), fluidity.data(), part_of_point.data()};
  });
  if (options.schur == SchurComplement::bfbt)
    update_bfbt(viscosity, finest);
  if (!saddle_point.velocity.empty())
    return;
  saddle_point.velocity    = A.levels();
  saddle_point.mass        = M->level(pressure.n_levels() - 1);
  saddle_point.mass_factor = 2. * options.length * options.length;
  saddle_point.C           = &C;
  if (options.schur != SchurComplement::bfbt)
    return;
  saddle_point.schur = levels_of(is_open() ? *closed_pressure : pressure, *laplacian);
  if (K)
    saddle_point.schur.back().values = ValuesOnDevice{K->pattern(), K->rows()};
  else
    saddle_point.schur.back().values = K_of_ranks;
}

template <int dim>
void StokesMatrices<dim>::update_bfbt(const Vector<double> &viscosity, const Vector<double> &of_finest)
{
  const double         q        = options.bfbt_exponent;
  const Vector<double> of_cells = weights.part(0, viscosity.size());
  device.for_each(of_cells.size(), Power{1., q, viscosity.data(), weights.data()});
  device.multiply(1., V, of_cells, 0., C);
  device.for_each(C.size(), InvertPositive{C.data()});
  if (K)
    K->update(C);
  else
    *K_of_ranks = scaled_product(*saddle_point.B, to_host(C), *saddle_point.Bt);
  geometric_viscosity->update(of_finest);
  laplacian->update(device, [&](std::size_t level) {
    const auto &of_level = (*geometric_viscosity)[level];
    device.for_each(of_level.size(), Power{1. / options.length / options.length, -q, of_level.data(), weights.data()});
    return WeightedLaplacian{weights.data()};
  });
}

template <int dim>
void StokesMatrices<dim>::subtract_prescribed(const Vector<double> &g, Vector<double> &b) const
{
  const int      n   = velocity.finest().n_owned();
  Vector<double> b_u = b.part(0, n), b_p = b.part(n, pressure.finest().n_owned());
  device.multiply(-1., B_prescribed, g, 1., b_p);
  if (!is_open()) // the discrete flux through the boundary, about 0
    device.axpby(-device.dot(ones, b_p) / device.dot(ones, ones), ones, 1., b_p);
  const auto eta       = to_host(given_at_points != nullptr ? *given_at_points : *given);
  const bool at_points = given_at_points != nullptr;
  Form<dim>  A_prescribed("A_g", velocity, prescribed_values(velocity), mapping, quadrature, stokes_flags,
                          [&](const CellContext<dim> &cell, dealii::FullMatrix<double> &local) {
                           for (const unsigned int q : cell.quadrature_point_indices())
                             {
                               const int    n_q = static_cast<int>(cell.n_quadrature_points());
                               const double weight =
                                 cell.JxW(q) * eta[at_points ? cell.cell_number() * n_q + q : cell.cell_number()];
                               for (const unsigned int i : cell.dof_indices())
                                 for (const unsigned int j : cell.dof_indices())
                                   {
                                     const unsigned int c = cell.component(i), d = cell.component(j);
                                     const auto        &grad_i = cell.gradient(i, q), &grad_j = cell.gradient(j, q);
                                     local(i, j) += weight * ((c == d ? grad_i * grad_j : 0.) + grad_i[d] * grad_j[c]);
                                   }
                             }
                         });
  A_prescribed.update();
  device.multiply(-1., Matrix<double>(device, *A_prescribed.finest(), dim), g, 1., b_u);
}

template class StokesMatrices<2>;
template class StokesMatrices<3>;
} // namespace adamant
