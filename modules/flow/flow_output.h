#pragma once

#include "fem/spaces/level_space.h"
#include "frame/output/output.h"

#include <deal.II/fe/mapping.h>

namespace adamant
{
/// Adds one state of velocity, vorticity and pressure to a series, from the values at a rank's own nodes of a scalar
/// Q1 space; the velocity is stored by components. All ranks call it together.
template <int dim>
void write_flow(const LevelSpace<dim> &space, const dealii::Mapping<dim> &mapping, const double *velocity,
                const double *pressure, TimeSeries &series, double time);
} // namespace adamant
