/** A response of `/v2/pox` in the shape of the node's source: with numbers of 64 bits, and epochs without a limit. */
export const POX = {
  contract_id: "SP000000000000000000002Q6VF78.pox-5",
  current_burnchain_block_height: 974_700,
  current_cycle: {
    id: 146,
    min_threshold_ustx: 50_000_000_000,
    stacked_ustx: 480_123_456_789_012,
    is_pox_active: true,
  },
  next_cycle: {
    id: 147,
    min_threshold_ustx: 50_000_000_000,
    min_increment_ustx: 100_000_000,
    stacked_ustx: 470_000_000_000_000,
    prepare_phase_start_block_height: 974_650,
    blocks_until_prepare_phase: -50,
    reward_phase_start_block_height: 974_750,
    blocks_until_reward_phase: 50,
    ustx_until_pox_rejection: null,
  },
  epochs: [
    {
      epoch_id: "Epoch10",
      start_height: 0,
      end_height: 666_050,
      block_limit: {
        write_length: 2 ** 64,
        write_count: 2 ** 64,
        read_length: 2 ** 64,
        read_count: 2 ** 64,
        runtime: 2 ** 64,
      },
      network_epoch: 0,
    },
    {
      epoch_id: "Epoch40",
      start_height: 960_230,
      end_height: 2 ** 63,
      block_limit: {
        write_length: 30_000_000,
        write_count: 30_000,
        read_length: 400_000_000,
        read_count: 60_000,
        runtime: 10_000_000_000,
      },
      network_epoch: 17,
    },
  ],
  current_epoch: "Epoch40",
};
