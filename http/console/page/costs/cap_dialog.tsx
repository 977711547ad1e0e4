/** Changes or removes the cap on marketing. */

import { useState } from 'preact/hooks'
import { amountField, amountIn } from '../crm/record/amount.ts'
import type { MarketingSpending } from '../records/costs.ts'
import { number } from '../ui/format/format.ts'
import { Field } from '../ui/forms/field.tsx'
import { Refusal } from '../ui/forms/form_end.tsx'
import { useAction } from '../ui/hooks.ts'
import { Dialog } from '../ui/overlays/dialog.tsx'
import { toast } from '../ui/overlays/toast.ts'
import type { CostSums } from './costs.ts'

const MOST = 1_000_000_000

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
    const amount = amountIn(text)
    const fault = faultIn(amount, currency!)
    setWrong(fault)
    if (amount && !fault) await put({ amount: amount.amount, currency: currency! })
  })
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
      <Refusal fault={save.fault ?? remove.fault} />
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

/** Tells what is wrong with the amount; null when it can be a cap. */
function faultIn(amount: ReturnType<typeof amountIn>, currency: string) {
  if (!amount) return 'Give an amount, such as 250.'
  if (amount.currency && amount.currency !== currency)
    return `The rates are in ${currency}: give the cap in ${currency}, too.`
  if (amount.amount > MOST) return `Give at most ${number(MOST)}.`
  // Less than that is shown as 0.00.
  if (amount.amount < 0.01) return 'Give at least 0.01. Without a cap, marketing is not limited.'
  return null
}
