// Example queries for docs/metrics.md, one per family. They are for readers only, so they are not part of the
// declarations. STX = microSTX / 1e6.

/** PromQL by family name; the page cannot be made while a family has none. */
export const examples: Readonly<Record<string, string>> = {
  // fees, mempool
  stacks_mempool_fee_priority_microstx: 'stacks_mempool_fee_priority_microstx{tx_type="all", priority="medium"} / 1e6',
  stacks_mempool_snapshots_changed_total: "increase(stacks_mempool_snapshots_changed_total[15m]) == 0",
  stacks_mempool_transactions: "sum without (tx_type) (stacks_mempool_transactions)",
  stacks_mempool_tx_age_blocks: 'max without (tx_type) (stacks_mempool_tx_age_blocks{percentile="p95"})',
  // blocks
  stacks_chain_block_height: 'delta(stacks_chain_block_height{source="block"}[1h])',
  stacks_chain_burn_block_height: 'delta(stacks_chain_burn_block_height{source="block"}[1d])',
  stacks_chain_block_timestamp_seconds: "time() - stacks_chain_block_timestamp_seconds",
  stacks_chain_burn_block_timestamp_seconds: "(time() - stacks_chain_burn_block_timestamp_seconds) / 60",
  stacks_chain_blocks_total: "rate(stacks_chain_blocks_total[1h]) * 60",
  stacks_chain_transactions_total: "increase(stacks_chain_transactions_total[1d])",
  stacks_chain_execution_cost_total:
    "rate(stacks_chain_execution_cost_total[1h]) * 600 / stacks_chain_tenure_execution_cost_limit",
  stacks_chain_tenure_execution_cost_limit: 'stacks_chain_tenure_execution_cost_limit{dimension="runtime"}',
  stacks_chain_tenure_execution_cost_ratio: "max without (dimension) (stacks_chain_tenure_execution_cost_ratio)",
  stacks_chain_blocks_per_burn_block: "avg_over_time(stacks_chain_blocks_per_burn_block[6h])",
  stacks_chain_reorgs_total: "increase(stacks_chain_reorgs_total[1d])",
  stacks_chain_reorged_blocks_total: "increase(stacks_chain_reorged_blocks_total[1d])",
  stacks_chain_last_reorg_timestamp_seconds: "time() - stacks_chain_last_reorg_timestamp_seconds",
  stacks_chain_last_reorg_depth_blocks: "stacks_chain_last_reorg_depth_blocks >= 2",
  stacks_chain_skipped_blocks_total: "increase(stacks_chain_skipped_blocks_total[1h]) > 0",
  stacks_chain_missing_blocks_total: "increase(stacks_chain_missing_blocks_total[1h]) > 0",
  // transactions
  stacks_chain_mined_fee_microstx: 'stacks_chain_mined_fee_microstx{tx_type="all", percentile="p25"} / 1e6',
  stacks_chain_mined_fee_sample_transactions: 'stacks_chain_mined_fee_sample_transactions{tx_type="token_transfer"}',
  stacks_chain_mined_fee_baseline_microstx:
    "stacks_chain_mined_fee_microstx / stacks_chain_mined_fee_baseline_microstx",
  stacks_chain_mined_transactions_total:
    'sum without (tx_type, tx_status) (rate(stacks_chain_mined_transactions_total{tx_status!="success"}[1h]))',
  stacks_chain_recent_contract_calls: "topk(3, stacks_chain_recent_contract_calls)",
  stacks_chain_pending_depth_transactions: "stacks_chain_pending_depth_transactions",
  stacks_chain_transactions_gap_total: "increase(stacks_chain_transactions_gap_total[1d]) > 0",
  stacks_chain_reverted_transactions_total: "increase(stacks_chain_reverted_transactions_total[1d])",
  stacks_chain_restored_transactions_total: "increase(stacks_chain_restored_transactions_total[1d])",
  // mempool_transactions
  stacks_fee_estimate_microstx: 'stacks_fee_estimate_microstx{tx_type="all", target="10m"} / 1e6',
  stacks_fee_estimate_blocks_have_room: "avg_over_time(stacks_fee_estimate_blocks_have_room[1d])",
  // addresses
  stacks_address_info: "count by (network, group) (stacks_address_info)",
  stacks_address_last_transaction_timestamp_seconds:
    'time() - stacks_address_last_transaction_timestamp_seconds{direction="sent"}',
  stacks_address_pending_depth_transactions: 'stacks_address_pending_depth_transactions{state="below_depth"}',
  stacks_address_backlog_transactions: "stacks_address_backlog_transactions > 0",
  stacks_address_transactions_total:
    'sum without (tx_type, tx_status) (increase(stacks_address_transactions_total{direction="sent", tx_status!="success"}[1d]))',
  stacks_address_sent_microstx_total: "increase(stacks_address_sent_microstx_total[1h]) / 1e6",
  stacks_address_received_microstx_total: "increase(stacks_address_received_microstx_total[1h]) / 1e6",
  stacks_address_fees_paid_microstx_total:
    "sum without (tx_type, role) (increase(stacks_address_fees_paid_microstx_total[1d])) / 1e6",
  stacks_address_stx_transfer_microstx_total:
    'increase(stacks_address_stx_transfer_microstx_total{direction="out"}[1d]) / 1e6',
  stacks_address_ft_transfers_total:
    'topk(10, sum without (direction) (increase(stacks_address_ft_transfers_total{asset!="other"}[1d])))',
  stacks_address_ft_transfer_units_total: 'increase(stacks_address_ft_transfer_units_total{direction="out"}[1d])',
  stacks_address_nft_transfers_total: 'increase(stacks_address_nft_transfers_total{direction="in"}[1d])',
  stacks_address_unprotected_transactions_total:
    'increase(stacks_address_unprotected_transactions_total{tx_type="contract_call"}[1h]) > 0',
  stacks_address_reverted_transactions_total: "increase(stacks_address_reverted_transactions_total[1d]) > 0",
  stacks_address_restored_transactions_total: "increase(stacks_address_restored_transactions_total[1d])",
  stacks_address_gap_transactions_total: "increase(stacks_address_gap_transactions_total[1d]) > 0",
  stacks_address_irregularities_total: "increase(stacks_address_irregularities_total[1h]) > 0",
  stacks_address_label_overflow_total: "increase(stacks_address_label_overflow_total[1d]) > 0",
  // groups
  stacks_group_transactions_total: 'increase(stacks_group_transactions_total{direction="received"}[1d])',
  stacks_group_sent_microstx_total: "increase(stacks_group_sent_microstx_total[1h]) / 1e6",
  stacks_group_received_microstx_total: "increase(stacks_group_received_microstx_total[1h]) / 1e6",
  stacks_group_balance_microstx: "stacks_group_balance_microstx / 1e6",
  stacks_address_outflow_microstx: "stacks_address_outflow_microstx / stacks_address_max_outflow_microstx",
  stacks_address_max_outflow_microstx: "stacks_address_outflow_microstx > 0.5 * stacks_address_max_outflow_microstx",
  stacks_address_ft_outflow_units: "stacks_address_ft_outflow_units / stacks_address_ft_max_outflow_units",
  stacks_address_ft_max_outflow_units:
    "stacks_address_ft_max_outflow_units / on (job, instance, network, asset) group_left () (10 ^ stacks_asset_decimals)",
  stacks_address_silent_after_seconds: "stacks_address_silent_after_seconds / 3600",
  stacks_address_post_conditions_required: "count by (network) (stacks_address_post_conditions_required)",
  // balances
  stacks_address_balance_microstx: "sum by (network) (stacks_address_balance_microstx) / 1e6",
  stacks_address_available_balance_microstx:
    "stacks_address_available_balance_microstx / stacks_address_min_balance_microstx",
  stacks_address_unlock_burn_block_height:
    'stacks_address_unlock_burn_block_height - on (job, instance, network) group_left () stacks_chain_burn_block_height{source="block"}',
  stacks_address_mempool_microstx: 'stacks_address_mempool_microstx{direction="out"} / 1e6 > 0',
  stacks_address_min_balance_microstx:
    "stacks_address_available_balance_microstx < 2 * stacks_address_min_balance_microstx",
  stacks_address_ft_balance_units:
    "stacks_address_ft_balance_units / on (job, instance, network, asset) group_left () (10 ^ stacks_asset_decimals)",
  stacks_address_ft_min_balance_units: "stacks_address_ft_balance_units / stacks_address_ft_min_balance_units",
  stacks_asset_decimals: "10 ^ stacks_asset_decimals",
  // waiting
  stacks_address_mempool_transactions:
    'sum without (tx_type) (stacks_address_mempool_transactions{direction="out"}) > 0',
  stacks_address_mempool_oldest_receipt_timestamp_seconds:
    'time() - stacks_address_mempool_oldest_receipt_timestamp_seconds{direction="out"} > 1200',
  stacks_address_mempool_next_fee_microstx:
    'stacks_address_mempool_next_fee_microstx < on (job, instance, network, tx_type) group_left () stacks_fee_estimate_microstx{target="1h"}',
  stacks_address_missing_nonce: "stacks_address_missing_nonce",
  stacks_address_mempool_blocked_transactions: "sum by (network) (stacks_address_mempool_blocked_transactions)",
  stacks_address_mempool_removed_transactions_total:
    'increase(stacks_address_mempool_removed_transactions_total{direction="out", reason="dropped"}[1d]) > 0',
  // contracts
  stacks_contract_info: "count by (network, group) (stacks_contract_info)",
  stacks_contract_events_total: "topk(10, sum without (event_type) (increase(stacks_contract_events_total[1d])))",
  stacks_contract_last_event_observed_timestamp_seconds:
    "time() - stacks_contract_last_event_observed_timestamp_seconds > 86400",
  stacks_contract_backlog_events: "stacks_contract_backlog_events > 0",
  stacks_contract_events_gap_total: "increase(stacks_contract_events_gap_total[1d]) > 0",
  stacks_contract_reverted_events_total: "increase(stacks_contract_reverted_events_total[1d]) > 0",
  stacks_contract_restored_events_total: "increase(stacks_contract_restored_events_total[1d])",
  stacks_contract_rule_errors_total:
    "sum by (name, metric, reason) (increase(stacks_contract_rule_errors_total[1h])) > 0",
  stacks_contract_rule_label_overflow_total: "increase(stacks_contract_rule_label_overflow_total[1d]) > 0",
  stacks_contract_label_overflow_total: "increase(stacks_contract_label_overflow_total[1d]) > 0",
  stacks_contract_silent_after_seconds:
    "stacks_contract_silent_after_seconds < (time() - stacks_contract_last_call_timestamp_seconds)",
  stacks_contract_longest_pause_seconds:
    "(time() - stacks_contract_last_call_timestamp_seconds) / on (network, name, contract_id, job, instance) " +
    'stacks_contract_longest_pause_seconds{activity="call"}',
  stacks_contract_calls_total: "60 * sum by (name, function) (rate(stacks_contract_calls_total[5m]))",
  stacks_contract_call_errors_total:
    "topk(10, sum by (name, function, error) (increase(stacks_contract_call_errors_total[1d])))",
  stacks_contract_call_fees_microstx_total:
    "sum by (name) (increase(stacks_contract_call_fees_microstx_total[1d])) / 1e6",
  stacks_contract_last_call_timestamp_seconds: "time() - stacks_contract_last_call_timestamp_seconds > 86400",
  stacks_contract_pending_depth_calls: "stacks_contract_pending_depth_calls",
  stacks_contract_calls_gap_total: "increase(stacks_contract_calls_gap_total[1d]) > 0",
  stacks_contract_reverted_calls_total: "increase(stacks_contract_reverted_calls_total[1d]) > 0",
  stacks_contract_restored_calls_total: "increase(stacks_contract_restored_calls_total[1d])",
  stacks_contract_call_label_overflow_total: "increase(stacks_contract_call_label_overflow_total[1d]) > 0",
  // the exporter itself
  stacks_up: "stacks_up == 0",
  stacks_exporter_build_info: "count by (version) (stacks_exporter_build_info)",
  stacks_exporter_collector_success: "stacks_exporter_collector_success == 0",
  stacks_exporter_collector_last_success_timestamp_seconds:
    "time() - stacks_exporter_collector_last_success_timestamp_seconds",
  stacks_exporter_collector_interval_seconds:
    "time() - stacks_exporter_collector_last_success_timestamp_seconds > 2 * stacks_exporter_collector_interval_seconds",
  stacks_exporter_collector_stretch_ratio: "stacks_exporter_collector_stretch_ratio > 1",
  stacks_exporter_collector_state: 'stacks_exporter_collector_state{state!="active"} == 1',
  stacks_exporter_collector_targets: 'sum without (collector) (stacks_exporter_collector_targets{state="degraded"})',
  stacks_exporter_collector_runs_total:
    'increase(stacks_exporter_collector_runs_total{outcome="skipped_budget"}[1h]) > 0',
  stacks_exporter_collector_failures_total:
    "sum by (network, reason) (increase(stacks_exporter_collector_failures_total[1h])) > 0",
  stacks_exporter_upstream_up: "max without (upstream) (stacks_exporter_upstream_up) == 0",
  stacks_exporter_upstream_active: "stacks_exporter_upstream_active == 1",
  stacks_exporter_upstream_lag_blocks: "stacks_exporter_upstream_lag_blocks > 10",
  stacks_exporter_upstream_disagreements_total: "increase(stacks_exporter_upstream_disagreements_total[2h]) > 0",
  stacks_exporter_upstream_requests_total:
    'sum without (operation, code) (rate(stacks_exporter_upstream_requests_total{code="304"}[1h])) / sum without (operation, code) (rate(stacks_exporter_upstream_requests_total[1h]))',
  stacks_exporter_upstream_request_duration_seconds:
    "histogram_quantile(0.95, rate(stacks_exporter_upstream_request_duration_seconds_bucket[1h]))",
  stacks_exporter_upstream_retries_total:
    "sum without (operation) (increase(stacks_exporter_upstream_retries_total[1h]))",
  stacks_exporter_upstream_pauses_total: "increase(stacks_exporter_upstream_pauses_total[1h]) > 0",
  stacks_exporter_upstream_pause_end_timestamp_seconds:
    "stacks_exporter_upstream_pause_end_timestamp_seconds - time() > 0",
  stacks_exporter_upstream_operation_retired: "stacks_exporter_upstream_operation_retired == 1",
  stacks_exporter_unexpected_payload_total: "increase(stacks_exporter_unexpected_payload_total[1h]) > 0",
  stacks_exporter_budget_limit_requests: "stacks_exporter_budget_used_requests / stacks_exporter_budget_limit_requests",
  stacks_exporter_budget_planned_requests:
    "stacks_exporter_budget_planned_requests > stacks_exporter_budget_limit_requests",
  stacks_exporter_budget_used_requests: 'max_over_time(stacks_exporter_budget_used_requests{window="minute"}[1h])',
  stacks_exporter_budget_remaining_requests: 'stacks_exporter_budget_remaining_requests{window="minute"} == 0',
  stacks_exporter_state_restored: "stacks_exporter_state_restored == 0",
  stacks_exporter_state_write_timestamp_seconds: "time() - stacks_exporter_state_write_timestamp_seconds > 600",
  stacks_exporter_state_write_failures_total: "increase(stacks_exporter_state_write_failures_total[15m]) > 0",
  stacks_exporter_state_gaps_total: "increase(stacks_exporter_state_gaps_total[1d]) > 0",
  stacks_exporter_state_damaged: "stacks_exporter_state_damaged == 1",
  stacks_exporter_http_requests_refused_total: "increase(stacks_exporter_http_requests_refused_total[15m]) > 0",
  stacks_exporter_audit_mismatches_total: "increase(stacks_exporter_audit_mismatches_total[1d]) > 0",
  stacks_exporter_last_clean_audit_timestamp_seconds: "time() - stacks_exporter_last_clean_audit_timestamp_seconds",
  stacks_exporter_hints_total: "sum without (cause) (rate(stacks_exporter_hints_total[1h]))",
  stacks_exporter_shards: "max by (job) (stacks_exporter_shards)",
  stacks_exporter_shard_ordinal: "count without (ordinal) (group without (instance) (stacks_exporter_shard_ordinal))",
  stacks_exporter_config_last_reload_successful: "stacks_exporter_config_last_reload_successful == 0",
  stacks_exporter_web_config_last_reload_successful: "stacks_exporter_web_config_last_reload_successful == 0",
  stacks_exporter_watch_list_last_reload_successful: "stacks_exporter_watch_list_last_reload_successful == 0",
  stacks_exporter_series_limit: "sum(stacks_exporter_series) / on () stacks_exporter_series_limit",
  stacks_exporter_series: "topk(10, stacks_exporter_series)",
};
