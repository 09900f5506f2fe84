// Kernels with known faults, and clean ones beside them, compiled for the simulator
// (sim_planted.cu, sim_clean.cu).
// `io`: 4096 floats of 1; `small`: 64 floats. Each runs one small grid.
#pragma once

namespace planted {

using Run = void(float* io, float* small);

// Barriers and warp collectives.
Run exit_before_barrier, barrier_in_branch, barrier_against_shuffle, shuffle_after_exit, shuffle_inactive_source,
    lane_outside_mask, collectives_differ, waits_for_ever, ping_pong_for_ever;
// Bounds and alignment.
Run global_read_past_end, global_write_below, shared_past_end, shared_straddling_end, null_read, misaligned_double,
    misaligned_vector;
// Kernels that overlap.
Run before_previous_kernel, some_before_previous_kernel;
// Shared memory.
Run uninitialised, uninitialised_in_second_block, uninitialised_static, read_after_write, read_then_write,
    write_after_write, half_synced_tail, wrong_half_synced, byte_race, vector_race, atomic_against_plain, static_race,
    race_through_shuffle, copied_too_late, struct_uninitialised, struct_race;
// Global memory, with Options::check_global.
Run reverse_in_place, unguarded_sum, last_block_without_fence, neighbours_in_block;
// Clean, under every check.
Run synced_tail, half_mask_sync, chain_of_masks, bytes_then_words, words_then_bytes, atomics_meet, padded_tile,
    last_block, volatile_tail, spin_in_block, grid_atomics, copied_in_time, struct_returned, after_previous_kernel;

}  // namespace planted
