/** An alert, of which the rules for Prometheus and the runbook are made. */
export type Alert = {
  /** `page`: tenants notice, so somebody is woken. `ticket`: in working hours is soon enough. */
  severity: 'page' | 'ticket'
  /** Time for which the expression has to hold, as Prometheus writes it. */
  for: string
  expr: string
  /** One line, with Prometheus' templates. */
  summary: string
  /** Sentences in Markdown for the runbook. */
  cause: string
  look: string
  act: string
}

export type AlertGroup = { title: string; alerts: Readonly<Record<string, Alert>> }
