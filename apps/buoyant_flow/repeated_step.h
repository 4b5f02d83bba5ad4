#pragma once

#include "base/exceptions.h"
#include "frame/restart/state.h"
#include "solvers/control.h"
#include "solvers/krylov.h"
#include "stokes/viscosity_law.h"

#include <functional>
#include <iostream>
#include <sstream>
#include <string>

namespace buoyant_flow
{
/// Takes a time step again with half its length where a solver fails.
class RepeatedStep
{
public:
  /// `law` has to outlive the object.
  explicit RepeatedStep(const adamant::ViscosityLaw &law)
    : law(law)
  {}

  /// Returns the result of take(), a step from the time `start` of the length dt. Where it throws SolverError,
  /// `serialize` loads the state that it has saved before. Then dt is halved and a note tells of it, at most 5 times.
  /// Throws SolverError with the likely cause, in the state before the step. All ranks call it together.
  adamant::PendingResult operator()(double start, double &dt, const std::function<void(adamant::State &)> &serialize,
                                    const std::function<adamant::PendingResult()> &take)
  {
    using adamant::to_text;
    std::stringstream scalars;
    {
      adamant::CheckpointWriter::Archive archive(scalars);
      adamant::State                     state(archive, nullptr, &copies);
      serialize(state);
    }
    for (int halvings = 0;; ++halvings)
      try
        {
          return take();
        }
      catch (const adamant::SolverError &error)
        {
          std::istringstream                 saved(scalars.str());
          adamant::CheckpointReader::Archive archive(saved);
          adamant::State                     state(archive, nullptr, &copies);
          serialize(state);
          if (halvings == 5)
            throw adamant::SolverError("the step from time " + to_text(start) + " fails, also with " + to_text(dt) +
                                       ", a 32nd of its length: " + likely_cause(error.what()) + error.what());
          dt *= 0.5;
          std::cout << "note: a solver failed, so that the step from time " << to_text(start)
                    << " is taken again with half its length, " << to_text(dt) << ": " << error.what() << std::endl;
        }
  }

private:
  std::string likely_cause(const std::string &message) const
  {
    for (const char *other : {"temperature", "balance of fluxes"}) // solvers that know no viscosity
      if (message.find(other) != std::string::npos)
        return "";
    return law.depends_on("strain") ?
             "Problem/Viscosity perhaps jumps with the strain rate or falls too fast with it, or "
             "Viscosity/Nonlinear steps or Nonlinear tolerance are too small. " :
             "Problem/Viscosity or Density perhaps vary too much there. ";
  }

  const adamant::ViscosityLaw &law;
  adamant::State::Copies       copies;
};
} // namespace buoyant_flow
