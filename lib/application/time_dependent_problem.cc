#include "application/time_dependent_problem.h"

#include "discretization/fields/l2_error.h"
#include "discretization/meshes/mesh.h"
#include "discretization/meshes/stored_mesh.h"

#include <deal.II/base/quadrature_lib.h>

#include <algorithm>
#include <iostream>

namespace adamant
{
template <int dim>
TimeDependentProblem<dim>::TimeDependentProblem(const Device &device, Run &run, const Schedule &schedule)
  : device(device)
  , run_info(run)
  , schedule(schedule)
  , mesh(create_mesh<dim>(run.ranks, run.distributed_mesh))
  , series(run.folder(), "solution", run.ranks)
{}

template <int dim>
void TimeDependentProblem<dim>::run()
{
  if (run_info.continues())
    load_mesh();
  else
    {
      {
        Section scope(run_info.timer, "init/mesh");
        make_mesh();
      }
      adapt_mesh();
    }
  setup();
  if (run_info.continues())
    {
      State state(run_info.checkpoint().archive());
      serialize_all(state);
    }
  else
    {
      set_initial_values();
      write_output();
    }

  run_info.begin_time_loop(step, schedule.n_steps);
  while (step < schedule.n_steps && !finished())
    {
      ++step;
      time                      = step * schedule.step;
      const SolverResult result = advance();
      write_statistics(result);
      run_info.progress(step, time, result.iterations, result.final_residual);
      write_output();
      write_checkpoint();
    }
  wait_for_output();
  device.synchronize();
  run_info.end_time_loop();
  report();
  if (device.asynchronous())
    run_info.record["timings"]["output beside"] = series.seconds_beside();
}

template <int dim>
void TimeDependentProblem<dim>::load_mesh()
{
  const auto      coarse = manifolds();
  StoredMesh<dim> stored(*mesh, coarse.get());
  run_info.checkpoint().archive() >> stored;
}

template <int dim>
void TimeDependentProblem<dim>::serialize_all(State &state)
{
  state.scalar(step);
  state.scalar(time);
  state.scalar(series);
  serialize(state);
}

template <int dim>
void TimeDependentProblem<dim>::write_checkpoint()
{
  run_info.write_checkpoint(step, time, [this](CheckpointWriter::Archive &archive) {
    const StoredMesh<dim> stored(*mesh);
    archive << stored;
    State state(archive);
    serialize_all(state);
  });
}

template <int dim>
void TimeDependentProblem<dim>::write_statistics(const SolverResult &result)
{
  if (!schedule.due(schedule.statistics_interval, step))
    return;
  Statistics::Row row{{"step", step},
                      {"time", time},
                      {"iterations", result.iterations},
                      {"initial_residual", result.initial_residual},
                      {"residual", result.final_residual}};
  add_statistics(row);
  run_info.statistics.add(row);
}

template <int dim>
bool TimeDependentProblem<dim>::output_due() const
{
  return schedule.due(schedule.output_interval, step) || (finished() && schedule.output_interval > 0);
}

template <int dim>
void TimeDependentProblem<dim>::write_output()
{
  if (!output_due())
    return;
  wait_for_output();
  {
    Section    scope(run_info.timer, "copy");
    const auto vectors = output_vectors();
    for (std::size_t i = 0; i < vectors.size(); ++i)
      {
        if (snapshots.size() == i)
          snapshots.emplace_back(device, vectors[i]->size());
        snapshots[i].take(*vectors[i]);
      }
  }
  Section scope(run_info.timer, "output");
  series.start(
    [this, t = time] {
      std::vector<const double *> values;
      for (const auto &snapshot : snapshots)
        values.push_back(snapshot.values());
      write(series, t, values);
    },
    device.asynchronous());
}

template <int dim>
void TimeDependentProblem<dim>::wait_for_output()
{
  if (snapshots.empty()) // nothing has been written
    return;
  Section scope(run_info.timer, "output");
  series.wait();
}

template <int dim>
void TimeDependentProblem<dim>::describe(const Field<dim> &field, const Form<dim> &form, const LinearSolver &solver,
                                         const LinearSolverParameters &parameters, unsigned int extrapolation_order)
{
  const std::size_t n_cells = mesh->n_global_active_cells(), n_unknowns = field.finest().dof_handler().n_dofs();
  std::cout << n_cells << " cells, " << n_unknowns << " unknowns, " << field.n_levels() << " levels\n" << solver;
  run_info.describe({n_unknowns, n_cells, levels_of(field, form), parameters, extrapolation_order});
}

template <int dim>
Array<double> TimeDependentProblem<dim>::download(const Vector<double> &vector)
{
  Section scope(run_info.timer, "copy");
  return to_host(vector);
}

template <int dim>
void TimeDependentProblem<dim>::show(const Field<dim> &field, const Vector<double> &u, const Show &show)
{
  auto output = std::find_if(outputs.begin(), outputs.end(), [&](const Output &other) { return other.u == &u; });
  if (output == outputs.end())
    output = outputs.insert(output, {&field, &u, {}});
  output->shows.push_back(show);
}

template <int dim>
void TimeDependentProblem<dim>::add_output(const Field<dim> &field, const Vector<double> &u)
{
  show(field, u, [name = field.name()](auto &output, const auto &space, const double *values) {
    output.add_scalar(space, values, name);
  });
}

template <int dim>
void TimeDependentProblem<dim>::add_output(const Field<dim> &field, const Vector<double> &u,
                                           const std::vector<std::string> &names, const std::vector<double> &factors)
{
  show(field, u, [names, factors](auto &output, const auto &space, const double *values) {
    output.add_vectors(space, values, names, factors);
  });
}

template <int dim>
void TimeDependentProblem<dim>::add_output(const Field<dim> &field, const Vector<double> &u,
                                           const std::shared_ptr<const dealii::DataPostprocessor<dim>> &postprocessor)
{
  show(field, u, [postprocessor](auto &output, const auto &space, const double *values) {
    output.add_derived(space, values, *postprocessor);
  });
}

template <int dim>
std::vector<const Vector<double> *> TimeDependentProblem<dim>::output_vectors() const
{
  std::vector<const Vector<double> *> vectors;
  for (const auto &output : outputs)
    vectors.push_back(output.u);
  return vectors;
}

template <int dim>
void TimeDependentProblem<dim>::write(TimeSeries &series, double t, const std::vector<const double *> &values) const
{
  FieldOutput<dim> data;
  unsigned int     degree = 1;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    {
      for (const auto &show : outputs[i].shows)
        show(data, outputs[i].field->finest(), values[i]);
      degree = std::max(degree, outputs[i].field->element().degree);
    }
  data.build_patches(mapping, degree);
  series.write(data, t);
}

template <int dim>
void TimeDependentProblem<dim>::report_l2_error(const Field<dim> &field, const Vector<double> &u,
                                                const dealii::Function<dim> &exact)
{
  const auto   values = download(u);
  Section      scope(run_info.timer, "output");
  const double error =
    l2_error(field.finest(), mapping, dealii::QGauss<dim>(field.element().degree + 2), values.data(), exact);
  std::cout << "L2 error at t = " << time << ": " << error << std::endl;
  run_info.record["errors"]["l2"] = error;
}

template class TimeDependentProblem<2>;
template class TimeDependentProblem<3>;
} // namespace adamant
