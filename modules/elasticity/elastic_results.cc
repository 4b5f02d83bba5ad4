#include "elasticity/elastic_results.h"

#include "elasticity/stiffness.h"
#include "fem/forms/integrals.h"

#include <deal.II/fe/fe_values.h>

#include <cmath>
#include <iostream>
#include <utility>

namespace adamant
{
namespace
{
// Calls action(a, b) for the components of a stress in their order.
template <int dim, typename Action>
void for_each_component(const Action &action)
{
  for (int a = 0; a < dim; ++a)
    for (int b = a; b < dim; ++b)
      action(a, b);
}

// Returns u_r / r, from the displacement u_r and its derivative along r, which it becomes at the axis.
template <int dim>
double strain_around_axis(double displacement, double derivative, const dealii::Point<dim> &x)
{
  return std::abs(x[0]) > 1e-12 * std::abs(x[1]) && x[0] != 0. ? displacement / x[0] : derivative;
}

template <int dim>
double hoop_strain(const PointState<dim> &state, bool axial)
{
  return axial ? strain_around_axis(state.value[0], state.gradient[0][0], state.point) : 0.;
}

// Takes the projection of the dilatation to lower degrees, by the trapezoidal rule of 2 points or Simpson's of 3 in
// each direction: exact on parallelograms.
template <int dim>
void project_dilatation(std::vector<PointState<dim>> &states, bool axial)
{
  const auto                   n_1d = static_cast<unsigned int>(std::lround(std::pow(states.size(), 1. / dim)));
  const dealii::QIterated<dim> rule(
    n_1d == 2 ? dealii::Quadrature<1>(dealii::QTrapezoid<1>()) : dealii::Quadrature<1>(dealii::QSimpson<1>()), 1);
  std::vector<double>             dilatation;
  std::vector<dealii::Point<dim>> points;
  for (const auto &state : states)
    {
      dilatation.push_back(trace(vector_gradient(state)) + hoop_strain(state, axial));
      points.push_back(state.point);
    }
  const auto projected = DilatationSpace<dim>(points, rule.get_weights(), n_1d - 1).projection(dilatation);
  for (std::size_t q = 0; q < states.size(); ++q)
    states[q].dilatation = projected[q];
}
} // namespace

// Returns the material at the point of a cell for which `values` were made.
template <int dim>
static ElasticMaterial material_at(const ElasticMaterials &materials, const dealii::FEValues<dim> &values)
{
  return materials.at(values.get_cell()->material_id(), values.quadrature_point(0));
}

template <int dim>
std::vector<std::string> stress_names()
{
  std::vector<std::string> names;
  for_each_component<dim>([&](int a, int b) { names.push_back(std::string("stress_") + "xyz"[a] + "xyz"[b]); });
  return names;
}

template <int dim>
CSRMatrix<double> stress_matrix(const std::string &key, const LevelSpace<dim> &space,
                                const dealii::Mapping<dim> &mapping, const ElasticMaterials &materials,
                                const std::vector<dealii::Point<dim>> &points)
{
  const auto           &fe = space.element();
  dealii::FEValues<dim> on_cell(mapping, fe, dealii::QGauss<dim>(fe.degree + 1),
                                dealii::update_gradients | dealii::update_JxW_values |
                                  dealii::update_quadrature_points);
  const auto            projected = [&](const dealii::FEValues<dim> &at_point, unsigned int i, unsigned int c) {
    on_cell.reinit(at_point.get_cell());
    const DilatationSpace<dim> polynomials(on_cell.get_quadrature_points(), on_cell.get_JxW_values(), fe.degree);
    double                     sum = 0;
    for (unsigned int k = 0; k < polynomials.size(); ++k)
      sum += polynomials.value(k, at_point.quadrature_point(0)) *
             polynomials.moment(k, [&](unsigned int q) { return on_cell.shape_grad(i, q)[c]; });
    return sum;
  };
  return point_matrix<dim>(
    key, space, mapping, points, dim * (dim + 1) / 2 + 1,
    dealii::update_values | dealii::update_gradients | dealii::update_quadrature_points,
    [&](const dealii::FEValues<dim> &values, unsigned int i, std::vector<double> &shares) {
      const unsigned int c = fe.system_to_component_index(i).first;
      if (c >= dim)
        return;
      dealii::Tensor<2, dim> gradient;
      gradient[c]             = values.shape_grad(i, 0);
      auto         material   = material_at(materials, values);
      const double hoop       = materials.axial() && c == 0 ?
                                  strain_around_axis(values.shape_value(i, 0), gradient[0][0], values.quadrature_point(0)) :
                                  0.,
                   dilatation = materials.b_bar ? projected(values, i, c) : gradient[c][c] + hoop;
      material.thermal_strain = 0.; // which no displacement has
      const auto sigma        = material.stress(dealii::symmetrize(gradient), dilatation);
      auto       share        = shares.begin();
      for_each_component<dim>([&](int a, int b) { *share++ = sigma[a][b]; });
      *share = dim == 2 ? material.stress_zz(dilatation, hoop) : sigma[dim - 1][dim - 1];
    });
}

// Returns the thermal stress at points: the shape functions of the nodes' first components have the sum 1.
template <int dim>
static std::vector<double> thermal_stresses(const std::string &key, const LevelSpace<dim> &space,
                                            const dealii::Mapping<dim> &mapping, const ElasticMaterials &materials,
                                            const std::vector<dealii::Point<dim>> &points)
{
  const HostPointEvaluation sum(
    space.communicator(),
    point_matrix<dim>(key, space, mapping, points, 1, dealii::update_values | dealii::update_quadrature_points,
                      [&](const dealii::FEValues<dim> &values, unsigned int i, std::vector<double> &shares) {
                        if (space.element().system_to_component_index(i).first == 0)
                          shares[0] = material_at(materials, values).thermal_stress() * values.shape_value(i, 0);
                      }));
  return sum(Array<double>(space.n_owned(), 1.));
}

template <int dim>
Energies energies(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                  const dealii::Quadrature<dim> &quadrature, const ElasticMaterials &materials, const double *owned_u,
                  const double *owned_v, unsigned int first_velocity)
{
  const auto u = space.local_values(owned_u), v = space.local_values(owned_v);
  const auto add = [&](int cell, const dealii::FEValues<dim> &fe_values, double *sums) {
    std::vector<double> u_cell, v_cell;
    for (const unsigned int i : fe_values.dof_indices())
      {
        u_cell.push_back(u[space.cell_dofs(cell)[i]]);
        v_cell.push_back(v[space.cell_dofs(cell)[i]]);
      }
    std::vector<dealii::SymmetricTensor<2, dim>> strain(fe_values.n_quadrature_points);
    std::vector<dealii::Tensor<1, dim>>          velocity(fe_values.n_quadrature_points);
    fe_values[dealii::FEValuesExtractors::Vector(0)].get_function_symmetric_gradients_from_local_dof_values(u_cell,
                                                                                                            strain);
    fe_values[dealii::FEValuesExtractors::Vector(first_velocity)].get_function_values_from_local_dof_values(v_cell,
                                                                                                            velocity);
    std::vector<double> radial(fe_values.n_quadrature_points), dilatation;
    fe_values[dealii::FEValuesExtractors::Scalar(0)].get_function_values_from_local_dof_values(u_cell, radial);
    const auto id = fe_values.get_cell()->material_id();
    for (const unsigned int q : fe_values.quadrature_point_indices())
      dilatation.push_back(trace(strain[q]));
    if (materials.b_bar)
      dilatation =
        DilatationSpace<dim>(fe_values.get_quadrature_points(), fe_values.get_JxW_values(), space.element().degree)
          .projection(dilatation);
    for (const unsigned int q : fe_values.quadrature_point_indices())
      {
        const auto  &x        = fe_values.quadrature_point(q);
        const auto   material = materials.at(id, x);
        const double JxW      = fe_values.JxW(q) * materials.measure(x);
        const double hoop     = materials.axial() ? radial[q] / x[0] : 0.;
        sums[0] += material.energy(strain[q], dilatation[q] + hoop, hoop) * JxW;
        sums[1] += 0.5 * material.density * velocity[q].norm_square() * JxW;
      }
  };
  const auto sums = integrate<2>(space, mapping, quadrature,
                                 dealii::update_values | dealii::update_gradients | dealii::update_JxW_values |
                                   dealii::update_quadrature_points,
                                 add);
  return {sums[0], sums[1]};
}

// Returns the columns of points from the evaluation by stress_matrix().
template <int dim>
static std::vector<SampleColumn> stresses(std::size_t n_points, const HostPointEvaluation &stress,
                                          const std::vector<double> &thermal, const ElasticMaterials &materials,
                                          const Array<double> &u)
{
  std::vector<SampleColumn> columns;
  for (const auto &name : stress_names<dim>())
    columns.push_back({name, {}});
  if (materials.axial())
    columns.push_back({"stress_hoop", {}});
  columns.push_back({"von_mises", {}});
  if (n_points == 0)
    return columns;
  const auto        values = stress(u);
  const std::size_t n      = stress_names<dim>().size();
  for (std::size_t p = 0; p < n_points; ++p)
    {
      const double *row = values.data() + p * (n + 1);
      const double hot = thermal.empty() ? 0. : thermal[p], zz = row[n] - (materials.plane == Plane::stress ? 0. : hot);
      dealii::SymmetricTensor<2, dim> sigma;
      std::size_t                     k = 0;
      for_each_component<dim>([&](int a, int b) {
        sigma[a][b] = row[k] - (a == b ? hot : 0.);
        columns[k++].values.push_back(sigma[a][b]);
      });
      if (materials.axial())
        columns[k++].values.push_back(zz);
      columns[k].values.push_back(von_mises(sigma, zz));
    }
  return columns;
}

template <int dim>
static std::vector<std::string> displacement_names()
{
  std::vector<std::string> names;
  for (int c = 0; c < dim; ++c)
    names.push_back(std::string("u_") + "xyz"[c]);
  return names;
}

template <int dim>
std::vector<Quantity<dim>> elastic_quantities(const ElasticMaterials &materials, bool projected)
{
  using State       = PointState<dim>;
  const auto stress = [materials](const State &state) { // and the one across the plane
    const auto   strain     = dealii::symmetrize(vector_gradient(state));
    const auto   material   = materials.at(state.material, state.point);
    const double hoop       = hoop_strain(state, materials.axial());
    const double dilatation = state.dilatation.value_or(trace(strain) + hoop);
    return std::make_pair(material.stress(strain, dilatation), material.stress_zz(dilatation, hoop));
  };
  std::vector<Quantity<dim>> quantities = {
    {"displacement", [](const State &state) { return vector_value(state).norm(); }},
    {"von_mises", [stress](const State &state) {
       const auto [sigma, zz] = stress(state);
       return von_mises(sigma, zz);
     }}};
  for_each_component<dim>([&](int a, int b) {
    quantities.push_back({std::string("strain_") + "xyz"[a] + "xyz"[b],
                          [a, b](const State &state) { return dealii::symmetrize(vector_gradient(state))[a][b]; }});
  });
  if (materials.axial())
    quantities.push_back({"strain_hoop", [](const State &state) { return hoop_strain(state, true); }});
  if (materials.b_bar && !projected)
    return quantities;
  for_each_component<dim>([&](int a, int b) {
    quantities.push_back({std::string("stress_") + "xyz"[a] + "xyz"[b],
                          [stress, a, b](const State &state) { return stress(state).first[a][b]; }});
  });
  if (materials.axial())
    quantities.push_back({"stress_hoop", [stress](const State &state) { return stress(state).second; }});
  for (int c = 0; c < dim; ++c)
    quantities.push_back({std::string("force_") + "xyz"[c],
                          [stress, c](const State &state) { return (stress(state).first * state.normal)[c]; }, true});
  return quantities;
}

template <int dim>
std::shared_ptr<const DerivedFields<dim>> elastic_fields(const EvaluationParameters &parameters,
                                                         const ElasticMaterials     &materials)
{
  typename DerivedFields<dim>::Prepare projection;
  if (materials.b_bar)
    projection = [axial = materials.axial()](const auto &, auto &states) { project_dilatation(states, axial); };
  return std::make_shared<const DerivedFields<dim>>(parameters, elastic_quantities<dim>(materials, true), projection);
}

template <int dim>
ElasticResults<dim>::ElasticResults(const Device &device, const Field<dim> &field, const dealii::Mapping<dim> &mapping,
                                    const ElasticMaterials &materials, const SolidOutputParameters &parameters)
  : device(device)
  , space(field.finest())
  , mapping(mapping)
  , materials(materials)
  , work(device, 2)
  , measured{Mark(device), Mark(device)}
  , at_points(device, "Output/Points", field, mapping, parameters.points, dim)
  , evaluation(parameters, mapping, {{&space, displacement_names<dim>()}}, elastic_quantities<dim>(materials))
{
  const auto place = [&](const char *key, const std::vector<dealii::Point<dim>> &at) -> Place {
    return {at,
            {space.communicator(), stress_matrix(key, space, mapping, materials, at)},
            thermal_stresses(key, space, mapping, materials, at)};
  };
  if (!parameters.stress_points.empty())
    stress_points = place("Output/Stress points", points_of<dim>(parameters.stress_points));
  for (const auto &at : sample_places<dim>(parameters))
    samples.push_back(place(at.key.c_str(), at.points));
}

template <int dim>
void ElasticResults<dim>::add_to(RunRecord &record, const Array<double> &u, const std::string &folder) const
{
  std::cout << "strain energy " << energy.strain << ", work of the load " << work_of_load << std::endl;
  record["strain_energy"]  = energy.strain;
  record["kinetic_energy"] = energy.kinetic;
  record["work_of_load"]   = work_of_load;
  for (auto p = displacements.begin(); p != displacements.end(); p += dim)
    record["displacements"].push_back(std::vector<double>(p, p + dim));
  const auto columns =
    stresses<dim>(stress_points.points.size(), stress_points.sigma, stress_points.thermal, materials, u);
  for (std::size_t p = 0; p < stress_points.points.size(); ++p)
    for (const auto &column : columns)
      record["stresses"][p][column.name] = column.values[p];
  evaluation.add_statistics(record, {u.data()});
  evaluation.write_samples(record, {u.data()}, folder, [&](std::size_t k) {
    return stresses<dim>(samples[k].points.size(), samples[k].sigma, samples[k].thermal, materials, u);
  });
}

template decltype(stress_names<2>)       stress_names<2>;
template decltype(stress_names<3>)       stress_names<3>;
template decltype(elastic_fields<2>)     elastic_fields<2>;
template decltype(elastic_fields<3>)     elastic_fields<3>;
template decltype(stress_matrix<2>)      stress_matrix<2>;
template decltype(stress_matrix<3>)      stress_matrix<3>;
template decltype(elastic_quantities<2>) elastic_quantities<2>;
template decltype(elastic_quantities<3>) elastic_quantities<3>;
template decltype(energies<2>)           energies<2>;
template decltype(energies<3>)           energies<3>;
template class ElasticResults<2>;
template class ElasticResults<3>;
} // namespace adamant
