#pragma once

#include "algebra/device.h"
#include "base/communicator.h"
#include "base/exceptions.h"

#include <gtest/gtest.h>

#include <iostream>

/// Tests of ranks with GPUs: several ranks may share the GPU.
class CudaRanks : public testing::Test
{
protected:
  void SetUp() override
  {
    try
      {
        device = adamant::Device::cuda(adamant::Communicator(MPI_COMM_WORLD), true);
      }
    catch (const adamant::RunError &reason) // on all ranks
      {
        GTEST_SKIP() << reason.what();
      }
    if (device.communicator().rank() == 0)
      std::cout << "exchange by " << device.interface().exchange() << std::endl;
  }
  adamant::Device device;
};
