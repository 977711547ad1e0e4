/**
 * Series on which each alert fires, in promtool's notation, one value a minute. A series of the same shape without the
 * fault is `calm`.
 */

export type Case = {
  /** Series with the fault. */
  fault: Record<string, string>
  calm: Record<string, string>
  /** Labels of the firing alert beside its severity. */
  labels?: Record<string, string>
}

const NODE = 'instance="10.0.0.11:9464",job="parley"'
const node = { instance: '10.0.0.11:9464', job: 'parley' }
const REQUESTS = 'http_server_request_duration_seconds'
const MODEL_CALLS = 'gen_ai_client_operation_duration_seconds_count'

/** The same series with two courses. */
function one(series: string, fault: string, calm: string, labels: Record<string, string> = {}): Case {
  return { fault: { [series]: fault }, calm: { [series]: calm }, labels }
}

const check = (name: string) =>
  one(`parley_readiness_check{${NODE},check="${name}"}`, '1 0x90', '1x90', { ...node, check: name })
const figure = (name: string, fault: string, calm = '0x90') => one(`${name}{${NODE}}`, fault, calm)
const counted = (name: string) => figure(name, '0+90x90')

export const CASES: Record<string, Case> = {
  ParleyNodeDown: one(`up{${NODE}}`, '1 0x90', '1x90', node),
  ParleyNodeRestarts: one(`process_start_time_seconds{${NODE}}`, '1000+60x90', '1000x90', node),
  ParleyNodeNotReady: one(`parley_ready{${NODE}}`, '0x90', '1x90', node),
  ParleyNodeWarns: one(`parley_warnings{${NODE}}`, '2x90', '0x90', node),
  ParleyDatabaseAway: check('database'),
  ParleyBrokerAway: check('broker'),
  ParleyCommitsStuck: check('lane'),
  ParleyPoolFull: one(
    `db_client_connection_pending_requests{${NODE},db_client_connection_pool_name="parley"}`,
    '3x90',
    '0x90',
    { ...node, db_client_connection_pool_name: 'parley' },
  ),
  ParleyFilesRunOut: {
    fault: { [`process_open_fds{${NODE}}`]: '900x90', [`process_max_fds{${NODE}}`]: '1024x90' },
    calm: { [`process_open_fds{${NODE}}`]: '100x90', [`process_max_fds{${NODE}}`]: '1024x90' },
    labels: node,
  },
  ParleyConnectionsRefused: one(`parley_connections_refused_total{${NODE}}`, '0+5x90', '7x90', {
    instance: '10.0.0.11:9464',
  }),
  ParleyEventLoopLate: one(`nodejs_eventloop_lag_p99_seconds{${NODE}}`, '0.8x90', '0.02x90', node),
  ParleyVersionsMixed: {
    fault: {
      [`parley_build_info{${NODE},version="1.0.0"}`]: '1x90',
      'parley_build_info{instance="10.0.0.12:9464",job="parley",version="1.1.0"}': '1x90',
    },
    calm: {
      [`parley_build_info{${NODE},version="1.0.0"}`]: '1x90',
      'parley_build_info{instance="10.0.0.12:9464",job="parley",version="1.0.0"}': '1x90',
    },
  },
  ParleyRequestsFailing: {
    fault: {
      [`${REQUESTS}_count{${NODE},http_response_status_code="200"}`]: '0+90x90',
      [`${REQUESTS}_count{${NODE},http_response_status_code="503"}`]: '0+10x90',
    },
    calm: {
      [`${REQUESTS}_count{${NODE},http_response_status_code="200"}`]: '0+990x90',
      [`${REQUESTS}_count{${NODE},http_response_status_code="503"}`]: '0+1x90',
    },
  },
  ParleySendsAcceptedSlowly: {
    fault: buckets({ '0.5': '0+50x90', '2.5': '0+80x90', '10': '0+100x90', '+Inf': '0+100x90' }),
    calm: buckets({ '0.5': '0+100x90', '2.5': '0+100x90', '10': '0+100x90', '+Inf': '0+100x90' }),
  },
  ParleyRequestsShed: one(`parley_http_shed_total{${NODE},limiter="turns"}`, '0+60x90', '60x90', { limiter: 'turns' }),
  ParleySendsWait: figure('parley_sends_waiting_oldest_seconds', '500+60x90'),
  ParleySendsFail: {
    fault: {
      [`parley_sends_total{${NODE},channel="whatsapp",outcome="accepted"}`]: '0+60x90',
      [`parley_sends_total{${NODE},channel="whatsapp",outcome="retry"}`]: '0+40x90',
    },
    calm: {
      [`parley_sends_total{${NODE},channel="whatsapp",outcome="accepted"}`]: '0+60x90',
      [`parley_sends_total{${NODE},channel="whatsapp",outcome="refuse"}`]: '0+40x90',
    },
    labels: { channel: 'whatsapp' },
  },
  ParleyChannelDisconnected: one(`parley_channels{${NODE},status="disconnected"}`, '1x90', '0x90'),
  ParleyDeliveriesLate: figure('parley_deliveries_overdue_seconds', '200+60x90'),
  ParleyDeliveriesGivenUp: one(`parley_deliveries_total{${NODE},outcome="dead"}`, '0+1x90', '4x90'),
  ParleySubscriptionDisabled: figure('parley_subscriptions_disabled', '2x90'),
  ParleyTokensExpire: figure('parley_tokens_expiring', '1x90'),
  ParleyFiguresMissing: {
    fault: { [`up{${NODE}}`]: '1x90' },
    calm: { [`parley_nodes{${NODE}}`]: '2x90' },
  },
  ParleyPartitionsUnowned: figure('parley_partitions_unowned', '16x90'),
  ParleyOutboxLate: figure('parley_outbox_oldest_seconds', '50+60x90'),
  ParleyTimersLate: figure('parley_timers_overdue_seconds', '50+60x90'),
  ParleyTurnsFail: counted('parley_turn_faults_total'),
  ParleyTurnsBlocked: counted('parley_turns_blocked_total'),
  ParleyMessagesHeld: counted('parley_messages_held_total'),
  ParleyBrokerLosesMessages: counted('parley_inbox_healed_total'),
  ParleyDeadLetters: one(`parley_dead_letters_kept{${NODE},kind="mail"}`, '3x90', '0x90', { kind: 'mail' }),
  ParleyManyDeadLetters: counted('parley_dead_letters_total'),
  ParleyDeadLettersForgotten: figure('parley_dead_letter_oldest_seconds', '7000000x90', '86400x90'),
  ParleyModelsFail: {
    fault: {
      [`${MODEL_CALLS}{${NODE},gen_ai_request_model="gpt"}`]: '0+60x90',
      [`${MODEL_CALLS}{${NODE},gen_ai_request_model="gpt",error_type="timeout"}`]: '0+40x90',
    },
    calm: { [`${MODEL_CALLS}{${NODE},gen_ai_request_model="gpt"}`]: '0+60x90' },
    labels: { gen_ai_request_model: 'gpt' },
  },
  ParleyAssistantsFail: {
    fault: turns({ answered: '0+6x90', failed: '0+4x90' }),
    calm: turns({ answered: '0+6x90', failed: '1x90', handed_over: '0+3x90' }),
  },
  ParleyBudgetSpent: one(`parley_assistant_budget_refusals_total{${NODE},budget="day"}`, '0+1x90', '2x90', {
    budget: 'day',
  }),
  ParleyKnowledgeLate: figure('parley_knowledge_pending_oldest_seconds', '500+60x90'),
}

function buckets(values: Record<string, string>): Record<string, string> {
  const route = `${NODE},http_request_method="POST",http_route="/v1/messages",http_response_status_code="202"`
  return Object.fromEntries(
    Object.entries(values).map(([le, value]) => [`${REQUESTS}_bucket{${route},le="${le}"}`, value]),
  )
}

function turns(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([outcome, value]) => [
      `parley_assistant_turns_total{${NODE},outcome="${outcome}"}`,
      value,
    ]),
  )
}
