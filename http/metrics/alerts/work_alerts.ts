/** Alerts of the work for tenants. */
import type { AlertGroup } from './alert.ts'

const MODEL_CALLS = 'gen_ai_client_operation_duration_seconds_count'

export const MESSAGES: AlertGroup = {
  title: 'Messages and webhooks',
  alerts: {
    ParleySendsWait: {
      severity: 'page',
      for: '5m',
      expr: 'max(parley_sends_waiting_oldest_seconds) > 600',
      summary: 'A message has waited {{ $value | humanizeDuration }} to be sent',
      cause: 'A provider is down or asks to wait, or a channel has more to send than its account may.',
      look: 'The page *Operations* of the console: the channels with messages that wait, and their last errors. `parley trace` of a message says what it waits for ([tracing.md](tracing.md#read-the-way)).',
      act: 'Wait for the provider, or renew the credentials of the channel. Where the account is too slow, ask the provider for a higher limit and set `messages_per_second`.',
    },
    ParleySendsFail: {
      severity: 'page',
      for: '5m',
      expr: 'sum by (channel) (rate(parley_sends_total{outcome=~"retry|unknown|disconnect"}[5m])) / sum by (channel) (rate(parley_sends_total[5m])) > 0.2',
      summary: '{{ $value | humanizePercentage }} of the tries to send by {{ $labels.channel }} fail',
      cause: 'The provider is down (`retry`, `unknown`) or rejects the credentials (`disconnect`).',
      look: '`parley_sends_total` by `outcome`; `parley channels list`; `GET /v1/messages?status=failed` with a token of the tenant, and `parley trace` of one of them; the status page of the provider.',
      act: 'Messages are tried again by themselves. Renew rejected credentials.',
    },
    ParleyChannelDisconnected: {
      severity: 'ticket',
      for: '5m',
      expr: 'max(parley_channels{status="disconnected"}) > 0',
      summary: '{{ $value }} channels are disconnected',
      cause: 'The provider rejected the credentials of a channel, or a paired phone was unlinked.',
      look: '`parley channels list`: the column `state` has the reason. Tenants got `whatsapp.channel.disconnected` and the like.',
      act: 'The tenant renews the credentials, or pairs the phone again. Switch off a channel that nobody needs.',
    },
    ParleyDeliveriesLate: {
      severity: 'page',
      for: '5m',
      expr: 'max(parley_deliveries_overdue_seconds) > 300',
      summary: 'A webhook delivery is {{ $value | humanizeDuration }} late',
      cause:
        'Deliveries are not attempted when they are due: a receiver is slow and takes few at a time, or a partition has no owner.',
      look: '`parley webhooks deliveries` with the id of the subscription and a token of the tenant, then `parley trace` of a delivery; `parley_webhook_attempt_duration_seconds`; ParleyPartitionsUnowned.',
      act: 'A slow receiver holds up its own subscription alone: its owner raises `concurrency` or makes it faster.',
    },
    ParleyDeliveriesGivenUp: {
      severity: 'ticket',
      for: '0m',
      expr: 'sum(increase(parley_deliveries_total{outcome="dead"}[15m])) > 0',
      summary: 'Webhook deliveries were given up',
      cause: 'Receivers were down for longer than the schedule of attempts.',
      look: '`parley webhooks deliveries` with the id of the subscription, `--status dead` and a token of the tenant; `parley trace` of a delivery has each answer of the receiver.',
      act: 'When the receiver is back, send again what it missed: `parley webhooks recover` ([webhooks.md](webhooks.md)).',
    },
    ParleySubscriptionDisabled: {
      severity: 'ticket',
      for: '0m',
      expr: 'max(parley_subscriptions_disabled) > 0',
      summary: '{{ $value }} webhook subscriptions are disabled',
      cause: 'The receiver failed for too long, or answered 410. Its owner got a mail.',
      look: 'The page *Operations* of the console, or `GET /v1/webhooks` of the tenant: `disabled_reason`.',
      act: 'The owner repairs the receiver and enables the subscription, or deletes it.',
    },
    ParleyTokensExpire: {
      severity: 'ticket',
      for: '1h',
      expr: 'max(parley_tokens_expiring) > 0',
      summary: '{{ $value }} access tokens expire within a week',
      cause: 'Tokens were made with an end, and nobody has replaced them.',
      look: '`parley token list`.',
      act: 'Their owners make new ones. They are told by mail, too ([identity.md](identity.md)).',
    },
  },
}

export const ASSISTANTS: AlertGroup = {
  title: 'Assistants and knowledge',
  alerts: {
    ParleyModelsFail: {
      severity: 'ticket',
      for: '5m',
      expr: `sum by (gen_ai_request_model) (rate(${MODEL_CALLS}{job="parley",error_type!=""}[5m])) / sum by (gen_ai_request_model) (rate(${MODEL_CALLS}{job="parley"}[5m])) > 0.2`,
      summary: '{{ $value | humanizePercentage }} of the calls of {{ $labels.gen_ai_request_model }} fail',
      cause: 'The provider of the model is down or too slow, refuses the key, or has no money or quota left.',
      look: `\`sum by (error_type) (rate(${MODEL_CALLS}[5m]))\`: \`unauthorized\`, \`quota_exhausted\`, \`rate_limited\`, \`timeout\`, \`unavailable\`; \`parley doctor\` asks the address of each model.`,
      act: 'Renew the key, pay, or choose another model. Conversations are handed to people meanwhile.',
    },
    ParleyAssistantsFail: {
      severity: 'ticket',
      for: '5m',
      expr: 'sum(rate(parley_assistant_turns_total{outcome="failed"}[5m])) / sum(rate(parley_assistant_turns_total[5m])) > 0.2',
      summary: '{{ $value | humanizePercentage }} of the turns of assistants fail',
      cause: 'Models fail, budgets are spent, or answers cannot be sent.',
      look: 'The turns of the assistant in the console: their `reason`.',
      act: 'As the reason says. People have the conversations.',
    },
    ParleyBudgetSpent: {
      severity: 'ticket',
      for: '0m',
      expr: 'sum by (budget) (increase(parley_assistant_budget_refusals_total[15m])) > 0',
      summary: 'Assistants stay silent: a budget of the {{ $labels.budget }} is spent',
      cause: 'An assistant or a project has spent what it may.',
      look: 'The costs of assistants in the console ([assistants.md](assistants.md)).',
      act: 'Raise the budget, or let people answer until the next day or month. A budget that goes in an hour is a loop or an abuse: look at the conversations.',
    },
    ParleyKnowledgeLate: {
      severity: 'ticket',
      for: '5m',
      expr: 'max(parley_knowledge_pending_oldest_seconds) > 600',
      summary: 'A document has waited {{ $value | humanizeDuration }} for the index',
      cause: 'Many documents were changed, or documents fail and are tried again.',
      look: '`parley_knowledge_pending`; "indexing documents failed" in the log.',
      act: 'Wait, or repair the document that the log names.',
    },
  },
}
