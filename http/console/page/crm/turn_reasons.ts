/** Words for why a turn of an assistant ended without an answer. No DOM. */

const CLAUSES: Partial<Record<string, string>> = {
  aborted: 'it was given up',
  another_machine: 'another program seems to be writing',
  asked: 'the assistant asked for it',
  busy: 'too much is asked at once',
  cut: 'the connection to the model ended',
  empty: 'there was no text',
  malformed: 'the answer of the model could not be read',
  no_budget: 'the budget is spent',
  not_sent: 'the answer could not be sent',
  not_stored: 'the answer could not be stored',
  promised: 'the assistant promised a person',
  quota_exhausted: 'the account at the provider of the model has no money left',
  rate_limited: 'the provider of the model is asked too often',
  rejected: 'the provider of the model refused the question',
  repeated: 'the assistant said the same again',
  switched_off: 'the assistant is switched off',
  timeout: 'the model did not answer in time',
  too_large: 'the answer of the model is too large',
  too_long: 'the conversation is too long for the model',
  too_many_answers: 'the assistant has answered too often',
  too_many_steps: 'the assistant called too many tools',
  unauthorized: 'the provider of the model refuses the key',
  unavailable: 'the model cannot be reached',
  unknown_model: 'this Parley does not offer the model',
  unreadable: 'the model cannot read a file',
  withdrawn: 'the provider does not have the model any more',
}

/** The reason as the end of a sentence, such as `the budget is spent`. */
export function reasonClause(reason: string) {
  return CLAUSES[reason] ?? reason.replaceAll('_', ' ')
}

/** The reason as a sentence. */
export function reasonText(reason: string) {
  const clause = reasonClause(reason)
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`
}
