/** Changes or removes the cap on marketing. */

import { useState } from 'preact/hooks'
import { amountField, amountIn } from '../crm/record/amount.ts'
import { errorText } from '../data/errors.ts'
import type { MarketingSpending } from '../records/costs.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { useAction } from '../ui/hooks.ts'
import { Icon } from '../ui/icons.tsx'
import { toast } from '../ui/toast.ts'
import type { CostSums } from './costs.ts'

type Props = { sums: CostSums; marketing: MarketingSpending; onClose(): void }

export function CapDialog({ sums, marketing, onClose }: Props) {
  return (
    <Dialog title="Cap on marketing" onClose={onClose} has_close>
      {(close) => <Form {...{ sums, marketing, close }} />}
    </Dialog>
  )
}

function Form({ sums, marketing: { cap, currency }, close }: Omit<Props, 'onClose'> & { close(): void }) {
  const [text, setText] = useState(cap === null ? '' : amountField(cap, currency))
  const [wrong, setWrong] = useState<string | null>(null)
  const put = async (next: { amount: number; currency: string } | null) => {
    await sums.changeCap(next)
    toast(next ? 'The cap is changed' : 'Marketing has no cap any longer')
    close()
  }
  const remove = useAction(() => put(null))
  const save = useAction(async () => {
    const given = amountIn(text)
    setWrong(given ? null : 'Give an amount, such as 250.')
    if (given) await put({ amount: given.amount, currency: given.currency ?? currency ?? '' })
  })
  const fault = save.fault ?? remove.fault
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void save.run()
  }
  if (currency === null)
    return <p>A cap needs rates. An operator loads the rate card of the provider first: parley rates import.</p>
  return (
    <form class="costs-form" onSubmit={submit} novalidate>
      <p>What marketing may cost in a month. Messages beyond it wait or are refused; service messages go on.</p>
      <Field label={`Cap in ${currency}`} error={wrong}>
        {(attributes) => (
          <input
            {...attributes}
            value={text}
            inputmode="decimal"
            maxlength={40}
            autocomplete="off"
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </Field>
      <div role="alert">
        {fault && (
          <p class="note bad">
            <Icon name="alert" /> <span>{errorText(fault)}</span>
          </p>
        )}
      </div>
      <div class="actions">
        {cap !== null && (
          <button type="button" class="button danger" disabled={remove.is_busy} onClick={remove.run}>
            Remove the cap
          </button>
        )}
        <button type="submit" class="button primary" disabled={save.is_busy}>
          {save.is_busy ? 'Saving…' : 'Save'}
        </button>
      </div>
    </form>
  )
}
