#pragma once

#include "base/run_record.h"
#include "elasticity/elasticity_parameters.h"
#include "evaluation/derived_fields.h"
#include "evaluation/evaluation.h"
#include "frame/restart/state.h"
#include "frame/run_folder.h"

#include <deal.II/base/quadrature_lib.h>

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace adamant
{
/// Returns the names of a stress's components in files: xx, xy, yy; in three dimensions xx, xy, xz, yy, yz, zz.
template <int dim>
std::vector<std::string> stress_names();

/// Returns the matrix that evaluates stresses at points from a displacement: nodal values of the first dim components
/// of the space. Rows (n + 1) p to (n + 1) p + n - 1 give the n components stress_names() at point p, and the next row
/// sigma_zz. At the border of cells the stress is that of one cell. All else is as in
/// evaluation_matrix (evaluation/point_values.h).
template <int dim>
CSRMatrix<double> stress_matrix(const std::string &key, const LevelSpace<dim> &space,
                                const dealii::Mapping<dim> &mapping, const ElasticMaterials &materials,
                                const std::vector<dealii::Point<dim>> &points);

/// Returns the quantities of a displacement: displacement, its length, von_mises, the strains strain_xx, ..., the
/// stresses stress_xx, ... and the force's components σ n on a boundary, by quadrature. Where materials project
/// dilatations, there are stresses and forces only of states that have a projection, as `projected` says.
template <int dim>
std::vector<Quantity<dim>> elastic_quantities(const ElasticMaterials &materials, bool projected = false);

/// Returns the derived fields of files, of a displacement. Where dilatations are projected, the points of DataOut's
/// patches, degree + 1 in each direction, serve as points of a Newton-Cotes rule.
template <int dim>
std::shared_ptr<const DerivedFields<dim>> elastic_fields(const EvaluationParameters &parameters,
                                                         const ElasticMaterials     &materials);

struct Energies
{
  double strain, kinetic;
};

/// Returns the energies `1/2 ∫ sigma(u) : epsilon(u)` and `1/2 ∫ rho |v|²` for nodal values at the owned DoFs, in host
/// memory. The first dim components of the space hold u, dim components from first_velocity on hold v. All ranks call
/// it together.
template <int dim>
Energies energies(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping,
                  const dealii::Quadrature<dim> &quadrature, const ElasticMaterials &materials, const double *owned_u,
                  const double *owned_v, unsigned int first_velocity = 0);

/// Results of a displacement: the work of the load F . u, energies, displacements at points, stresses.
template <int dim>
class ElasticResults
{
public:
  /// Throws InputError, naming the parameter and the point, where a point lies in no cell. All ranks call all
  /// functions together.
  ElasticResults(const Device &device, const Field<dim> &field, const dealii::Mapping<dim> &mapping,
                 const ElasticMaterials &materials, const SolidOutputParameters &parameters);

  double              work_of_load = 0.;
  Energies            energy{};      ///< set by the program
  std::vector<double> displacements; ///< at points

  static constexpr Energies unknown{std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};

  /// Returns the energies of nodal values in host memory: of the displacement, and of the velocity times `dt`, whose
  /// components begin with number `first_velocity`.
  Energies energies(const Array<double> &u, const Array<double> &v, unsigned int first_velocity, double dt) const
  {
    auto energies = adamant::energies(space, mapping, dealii::QGauss<dim>(space.element().degree + 1), materials,
                                      u.data(), v.data(), first_velocity);
    energies.kinetic /= dt * dt;
    return energies;
  }

  void serialize(State &state)
  {
    state.scalar(energy.strain);
    state.scalar(energy.kinetic);
    state.scalar(work_of_load);
    state.scalar(displacements);
  }

  /// Launches F . u and u at points, for the row of statistics.csv of this step.
  void measure(const Vector<double> &F, const Vector<double> &u, unsigned int step)
  {
    device.dot(F, u, work, step % 2);
    at_points.evaluate(u, step % 2);
    measured[step % 2].take();
  }

  /// Adds the results of `measure`, F times a factor, and the energies to the row of this step. The step has ended; the
  /// next one may be under way.
  void add_to(Statistics::Row &row, double factor, unsigned int step)
  {
    measured[step % 2].wait(); // these kernels follow the solve, whose end does not include them
    work_of_load  = factor * work.on_host()[step % 2];
    displacements = at_points.values(step % 2);
    row.insert(row.end(),
               {{"work_of_load", work_of_load}, {"strain_energy", energy.strain}, {"kinetic_energy", energy.kinetic}});
    for (std::size_t k = 0; k < displacements.size(); ++k)
      row.emplace_back("point" + std::to_string(k / dim) + "_u" + "xyz"[k % dim], displacements[k]);
  }

  /// Adds the statistics of section "Output" for the displacement u in host memory.
  void add_statistics(Statistics::Row &row, const Array<double> &u) const
  {
    evaluation.add_statistics(row, {u.data()});
  }

  /// Adds the last state to run.json and writes the folder's profiles; u is in host memory. In record["stresses"] each
  /// point gets an entry, with the components stress_names() and von_mises.
  void add_to(RunRecord &record, const Array<double> &u, const std::string &folder) const;

private:
  struct Place
  {
    std::vector<dealii::Point<dim>> points;
    HostPointEvaluation             sigma;
    std::vector<double>             thermal; // stress
  };

  const Device                device;
  const LevelSpace<dim>      &space;
  const dealii::Mapping<dim> &mapping;
  const ElasticMaterials      materials;
  Scalars                     work;        // F . u of two steps
  Mark                        measured[2]; // set after the kernels of `measure` in these steps
  PointEvaluation             at_points;
  Place                       stress_points;
  Evaluation<dim>             evaluation;
  std::vector<Place>          samples; // the evaluation's lines and planes, for stresses
};
} // namespace adamant
