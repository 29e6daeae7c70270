// SPDX-License-Identifier: MIT
// MPI has no 16-bit floating-point numbers: their sum is an operation of ours on 16-bit words.
#pragma once

#include "agent/worker/collectives/numbers.h"

#include <mpi.h>

namespace ringside {

/// After MPI_Init; of the whole process, freed by MPI_Finalize.
class MpiSums
{
public:
    MpiSums();

    static MPI_Datatype typeOf(NumberType type) { return type == NumberType::f32 ? MPI_FLOAT : MPI_UINT16_T; }
    MPI_Op sumOf(NumberType type) const
    {
        return type == NumberType::f32 ? MPI_SUM : type == NumberType::f16 ? m_half : m_bfloat16;
    }

private:
    MPI_Op m_half = MPI_OP_NULL;
    MPI_Op m_bfloat16 = MPI_OP_NULL;
};

} // namespace ringside
