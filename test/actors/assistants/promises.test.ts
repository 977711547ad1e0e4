/** Promises of a person, in the languages in which answers are judged. */
import t from 'tap'
import { promisesPerson } from '../../../actors/assistants/answer/promises.ts'
import { between, chance } from '../../faults/chance.ts'

const PROMISES: Record<string, string[]> = {
  en: [
    'I will transfer you to a colleague.',
    "I'll connect you with an agent now",
    'I’m going to put you through to someone who can help.',
    'A colleague will get back to you shortly.',
    "One moment, I'm handing you over to our team",
    'Let me get a human for you.',
    'I have forwarded your request to our team.',
    'You will be transferred in a moment',
    'Our support team will contact you soon.',
  ],
  es: [
    'Te paso con un compañero.',
    'Voy a transferirle con un agente humano.',
    'Un asesor se pondrá en contacto contigo.',
    'Le transfiero ahora mismo.',
    'Ya avisé a nuestro equipo.',
    'En breve un agente te atenderá.',
    'Tu caso ha sido derivado a un especialista',
  ],
  pt: [
    'Vou transferir você para um atendente.',
    'Um colega entrará em contato.',
    'Estou encaminhando sua solicitação para a equipe.',
    'Vou te passar para um especialista',
  ],
  fr: [
    'Je vous transfère à un conseiller.',
    'Je vais vous mettre en relation avec un collègue.',
    'Un conseiller vous contactera.',
    'J’ai prévenu notre équipe.',
  ],
  de: [
    'Ich verbinde Sie mit einem Mitarbeiter.',
    'Ich leite Sie an einen Kollegen weiter.',
    'Ein Kollege meldet sich bei Ihnen.',
    'Ich werde unser Team informieren.',
  ],
  it: [
    'La metto in contatto con un operatore.',
    'Ti passo un collega.',
    'Un nostro operatore ti contatterà.',
    'La sto trasferendo a un agente.',
  ],
  nl: [
    'Ik verbind u door met een collega.',
    'Een medewerker neemt contact met u op.',
    'Ik zal u doorverbinden.',
    'Ik geef dit door aan ons team.',
  ],
  pl: [
    'Przekazuję rozmowę konsultantowi.',
    'Łączę Pana z konsultantem.',
    'Nasz konsultant skontaktuje się z Państwem.',
    'Zaraz przekażę to do zespołu.',
  ],
  tr: [
    'Sizi bir temsilciye aktarıyorum.',
    'Bir arkadaşımız sizinle iletişime geçecek.',
    'Şimdi sizi yetkiliye bağlıyorum.',
    'Talebinizi ekibimize iletiyorum.',
  ],
  ru: [
    'Я переведу вас на оператора.',
    'Сейчас соединю вас с коллегой.',
    'Наш сотрудник свяжется с вами.',
    'Передаю ваш вопрос специалисту.',
  ],
  ar: [
    'سأقوم بتحويلك إلى موظف.',
    'سيتواصل معك أحد الزملاء.',
    'سأبلغ الفريق بذلك.',
    'جاري تحويلك إلى ممثل خدمة العملاء',
  ],
  zh: ['我为您转接人工客服。', '我们的同事会联系您。', '我马上通知团队。', '正在为您转人工，请稍等'],
  ja: [
    '担当者におつなぎします。',
    '担当者からご連絡いたします。',
    'オペレーターに引き継ぎます。',
    'スタッフに確認のうえ、チームに共有します。',
  ],
}

/** Offers, refusals, and sentences with the same words. */
const NONE = [
  ...['Would you like me to transfer you to an agent?', 'If you want, I will transfer you to a colleague.'],
  ...['I cannot transfer you to an agent.', 'You can transfer money to our account.', 'Your order has been sent.'],
  ...['Our store is open from 9 to 18.', 'Your order A-1 will be delivered tomorrow by our team.'],
  ...['I found your order: it was shipped on Monday.', 'Our team is based in Madrid.', 'The price is 10 euros.'],
  ...['I will check the order for you.', '¿Quieres que te pase con un agente?', 'Tu pedido llega mañana.'],
  ...['Si quieres, te paso con un compañero.', 'No puedo transferirte.', 'La tienda abre a las 9.'],
  ...['Te informo que tu pedido ha salido.', 'Puedes pagar por transferencia bancaria.'],
  ...['El envío lo hace nuestro equipo en 24 horas.', 'Quer que eu transfira você para um atendente?'],
  ...['Seu pedido chega amanhã.', 'Se quiser, posso passar para um colega.', 'Souhaitez-vous que je vous transfère ?'],
  ...['Votre commande arrive demain.', 'Je ne peux pas vous transférer.', 'Si vous voulez, je vous mets en relation.'],
  ...['Möchten Sie, dass ich Sie verbinde?', 'Ihre Bestellung kommt morgen.', 'Ich kann Sie nicht verbinden.'],
  ...['Wenn Sie möchten, verbinde ich Sie mit einem Kollegen.', 'Geben Sie bitte Ihre Bestellnummer an.'],
  ...['Ihr Paket ist auf dem Weg, ich habe die Nummer gefunden.', 'Vuole parlare con un operatore?'],
  ...[
    'Il suo ordine arriva domani.',
    'Se vuole, la metto in contatto con un collega.',
    'Wilt u een medewerker spreken?',
  ],
  ...['Uw bestelling komt morgen.', 'Als u wilt verbind ik u door.', 'Ik heb uw bestelling gevonden.'],
  ...['Czy chce Pan rozmawiać z konsultantem?', 'Zamówienie dotrze jutro.', 'Jeśli Pan chce, połączę z konsultantem.'],
  ...[
    'Bir temsilciyle görüşmek ister misiniz?',
    'Siparişiniz yarın gelecek.',
    'İsterseniz sizi temsilciye bağlıyorum.',
  ],
  ...['Хотите поговорить с оператором?', 'Ваш заказ придёт завтра.', 'Если хотите, переведу вас на оператора.'],
  ...['هل تريد التحدث مع موظف؟', 'سيصل طلبك غدًا.', 'إذا أردت سأحولك إلى موظف.'],
  ...['您要转人工吗？', '您的订单明天到。', '如果需要，我可以为您转接人工。'],
  ...['担当者におつなぎしましょうか？', 'ご注文は明日届きます。', 'ご希望でしたら担当者におつなぎします。'],
]

t.test('a promise is found in every language', async (t) => {
  for (const [language, texts] of Object.entries(PROMISES)) {
    for (const text of texts) t.ok(promisesPerson(text), `${language}: ${text}`)
  }
})

t.test('offers, refusals and other sentences are no promises', async (t) => {
  for (const text of NONE) t.notOk(promisesPerson(text), text)
})

t.test('a promise is found among any other sentences, in any spelling', async (t) => {
  const random = chance(7)
  const below = (most: number) => between(random, 0, most - 1)
  const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)]!
  const promises = Object.values(PROMISES).flat()
  const spellings = [
    (text: string) => text,
    (text: string) => text.toUpperCase(),
    (text: string) => text.normalize('NFD'),
    (text: string) => `**${text}**`,
    (text: string) => `😀 ${text} 😀`,
    (text: string) => text.replaceAll(' ', '  '),
    (text: string) => text.replaceAll(' ', '\u00a0'),
  ]
  for (let round = 0; round < 2_000; round++) {
    const before = Array.from({ length: below(4) }, () => pick(NONE))
    const after = Array.from({ length: below(4) }, () => pick(NONE))
    const promise = pick(promises)
    const said = promise.replace(/[^.!?。！？]$/u, '$&.')
    const spelled = pick(spellings)(said)
    const text = [...before, spelled, ...after].join(pick([' ', '\n', '\n\n']))
    if (!promisesPerson(text)) t.fail(`not found: ${text}`)
    const offers = [...before, ...after].join(' ')
    if (promisesPerson(offers)) t.fail(`found: ${offers}`)
  }
  t.pass('2,000 texts')
})

t.test('a large text takes linear time', async (t) => {
  const time = (length: number) => {
    const text = 'I will not transfer you if '.repeat(length)
    const begin = process.cpuUsage()
    for (let round = 0; round < 20; round++) promisesPerson(text)
    const { user } = process.cpuUsage(begin)
    return user
  }
  time(100)
  t.ok(time(4_000) < 40 * Math.max(1_000, time(400)))
})
