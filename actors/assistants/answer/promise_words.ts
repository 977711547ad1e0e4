/**
 * Words by which texts promise that a person will take over, in the languages in which answers are judged. Each begins a
 * word and may be its stem; in Chinese and Japanese they stand anywhere.
 *
 * `i`: the writer, or the passive, about to do it. `alone`: deeds that need no aim. `deed` needs an aim of `who`. `will`:
 * deeds of somebody in `who`. `unless`: whole words of an offer or a refusal, before the deed.
 */
export type PromiseWords = {
  i: string[]
  alone: string[]
  deed: string[]
  who: string[]
  will: string[]
  unless: string[]
}

const of = (text: string) => text.split(',').map((word) => word.trim())

export const promiseWords: Record<string, PromiseWords> = {
  en: {
    i: of(
      "i'll,i will,i'm,i am,i have,i've,let me,we'll,we will,we are,we're,we have,you'll be,you will be,you're being,you are being,allow me to,while i,i shall,going to,i just,your request is,your conversation is,this chat is",
    ),
    alone: of(
      'transfer you,transferring you,transferred you,put you through,putting you through,hand you over,handing you over,handed you over,connect you,connecting you,connected you,put you in touch,putting you in touch,be transferred,being transferred,be connected,being connected,escalat,hand you off,transfer this conversation,transfer your',
    ),
    deed: of(
      'transfer,hand,pass,forward,refer you,redirect,send you to,get you,get a,get someone,bring in,bringing in,notify,notified,notifying,inform the,inform our,inform my,inform a,informed,informing,call in,alert,ask a,ask my,ask our,ask the,let my,let our,let the,let a,connect,involve,raise this',
    ),
    who: of(
      'agent,human,colleague,representative,specialist,advisor,adviser,team,someone,somebody,operator,manager,staff,supervisor,real person,a person,expert,co-worker',
    ),
    will: of(
      "will contact,will reach,will get back,will call,will take over,will take it,will continue,will assist,will help you,will be with you,will join,will answer,will reply,will respond,will follow up,will write,will get in touch,will be in touch,will look into,will review,will handle,is going to contact,has been notified,has been informed,is on the way,is joining,'ll contact,'ll get back,'ll be with you,'ll be in touch,'ll take over",
    ),
    unless: of("if,not,can't,cannot,can not,won't,don't,unable,would you like,do you want,should i,shall i,couldn't"),
  },
  es: {
    i: of(
      'voy a,vamos a,te estoy,le estoy,estoy,te voy,le voy,dejame,dejeme,permiteme,permitame,ya,ahora,en seguida,enseguida,he,hemos,acabo de,procedo a,te,le,lo,la,os,seras,sera,tu caso,su caso,tu consulta,su consulta,tu solicitud,su solicitud',
    ),
    alone: of(
      'te transfiero,le transfiero,lo transfiero,la transfiero,te paso con,le paso con,lo paso con,la paso con,te comunico con,le comunico con,lo comunico con,te derivo,le derivo,lo derivo,te conecto con,le conecto con,lo conecto con,transferirte,transferirle,transferirlo,transferirla,derivarte,derivarle,derivarlo,pasarte con,pasarle con,pasarlo con,conectarte con,conectarle con,comunicarte con,comunicarle con,transferido,transferida,derivado,derivada,escalado,escalare,te transferire,le transferire,te pasare,le pasare,te pongo en contacto,le pongo en contacto,ponerte en contacto,ponerle en contacto,te contactare con,le contactare con',
    ),
    deed: of(
      'transfer,transfier,deriv,escal,avis,notific,inform,pasar,paso tu,paso su,remit,reenvi,comunic,conect,contact,consult',
    ),
    who: of(
      'agente,humano,humana,companero,companera,asesor,asesora,representante,especialista,equipo,alguien,operador,operadora,persona,encargado,encargada,supervisor,ejecutivo,ejecutiva,colega,experto,experta',
    ),
    will: of(
      'te contactara,le contactara,lo contactara,se pondra,se comunicara,te atendera,le atendera,lo atendera,te respondera,le respondera,te escribira,le escribira,te llamara,le llamara,continuara,seguira,te ayudara,le ayudara,lo ayudara,se hara cargo,va a contactar,va a atender,va a ayudar,va a responder,tomara,revisara,te va a,le va a,retomara,dara seguimiento',
    ),
    unless: of('si,no,quieres,quiere,desea,deseas,puedo,te gustaria,le gustaria,prefieres,prefiere'),
  },
  pt: {
    i: of(
      'vou,vamos,irei,estou,deixe-me,deixa eu,permita-me,ja,agora,acabei de,te,lhe,o,a,voce sera,sera,seu caso,sua solicitacao,estamos',
    ),
    alone: of(
      'te transferir,lhe transferir,transferir voce,transferi-lo,transferi-la,transferindo voce,transferir o atendimento,transferir seu,transferir a conversa,passar voce,te passar para,encaminhar voce,encaminhar seu,encaminhar sua,encaminha-lo,encaminha-la,conectar voce,te conectar,conecta-lo,direcionar voce,direciona-lo,transferido,transferida,encaminhado,encaminhada,te transferirei,transferirei,encaminharei,colocar voce em contato',
    ),
    deed: of('transfer,encaminh,escal,avis,notific,inform,pass,conect,direcion,contat,acion,cham,consult'),
    who: of(
      'agente,atendente,humano,humana,colega,consultor,consultora,representante,especialista,equipe,equipa,alguem,operador,operadora,pessoa,responsavel,supervisor,supervisora',
    ),
    will: of(
      'entrara em contato,entrara em contacto,vai entrar em,ira entrar em,vai te,vai lhe,ira te,ira lhe,respondera,vai responder,ira responder,atendera,vai atender,ira atender,ajudara,vai ajudar,ira ajudar,continuara,vai continuar,ira continuar,assumira,vai assumir,ira assumir,retornara,vai retornar,ira retornar,ligara,dara continuidade,dara seguimento',
    ),
    unless: of('se,nao,quer,deseja,gostaria,posso,prefere'),
  },
  fr: {
    i: of(
      "je vais,je vous,je te,nous allons,laissez-moi,laisse-moi,permettez-moi,j'ai,nous avons,je suis en train,vous allez etre,vous serez,vous etes,votre demande est,votre demande a,je m'occupe de,je,nous vous",
    ),
    alone: of(
      'vous transferer,vous transfere,te transferer,te transfere,vous mettre en relation,vous mets en relation,te mettre en relation,te mets en relation,vous mettre en contact,vous mets en contact,te mettre en contact,te mets en contact,vous passer,vous passe un,vous passe a,te passe un,vous rediriger,vous redirige,vous orienter vers,vous oriente vers,transferes,transferee,transferre,transfere a,vous connecter,vous connecte,mis en relation,mise en relation,escalade,vous transfererai',
    ),
    deed: of(
      'transfer,transmet,transmis,escalad,previen,prevenir,prevenu,avert,inform,signal,pass,redirig,contact,demand,fais suivre,faire suivre',
    ),
    who: of(
      'agent,humain,collegue,conseiller,conseillere,representant,specialiste,equipe,quelqu,operateur,operatrice,personne,responsable,superviseur,expert',
    ),
    will: of(
      'vous contactera,te contactera,vous recontactera,vous repondra,te repondra,vous rappellera,te rappellera,prendra contact,prendra le relais,prendra la suite,prendra en charge,va vous,va te,va prendre,vous aidera,t aidera,reviendra vers,poursuivra,continuera,s en occupera,vous ecrira,va poursuivre,va continuer,va repondre,va revenir,va prendre',
    ),
    unless: of('si,ne,pas,souhaitez,voulez,veux-tu,puis-je,peux'),
  },
  de: {
    i: of(
      'ich werde,ich,wir werden,wir,lassen sie mich,lass mich,sie werden,du wirst,ihr anliegen wird,ihre anfrage wird,ihre anfrage wurde,deine anfrage wird',
    ),
    alone: of(
      'leite sie weiter,leite dich weiter,leite sie an,leite dich an,leite ihr,leite ihre,leite deine,sie weiterleiten,dich weiterleiten,verbinde sie,verbinde dich,sie verbinden,dich verbinden,ubergebe sie,ubergebe dich,sie ubergeben,dich ubergeben,weitergeleitet,weiterverbunden,verbunden,sie weiterverbinden,dich weiterverbinden,stelle sie durch,durchstellen,eskalier',
    ),
    deed: of(
      'leite,weiterleit,weitergeleit,gebe,weitergeb,weitergegeb,ubergeb,ubergeb,verbind,informier,benachrichtig,sage,hole,frage,kontaktier,schalte,bitte ein',
    ),
    who: of(
      'mitarbeiter,kollege,kollegin,kollegen,menschen,agent,berater,beraterin,team,jemand,jemanden,spezialist,fachmann,ansprechpartner,vertreter,experte,experten,vorgesetzte,support,person',
    ),
    will: of(
      'wird sich,wird ihnen,wird dir,wird sie,wird dich,meldet sich,melden sich,werden sich,ubernimmt,wird ubernehmen,wird das gesprach,kummert sich,wird weiterhelfen,wird antworten,ruft sie,ruft dich,kontaktiert sie,kontaktiert dich,hilft ihnen,hilft dir,schreibt hier,schreibt ihnen,schreibt dir,antwortet,schaut sich,wird hier',
    ),
    unless: of('wenn,falls,nicht,kein,kann,konnte,mochten,mochtest,soll,sollen,wollen sie,willst'),
  },
  it: {
    i: of(
      'ti sto,la sto,sto,ora,adesso,ti,la,vi,le,vado a,lasci che,lascia che,mi permetta,provvedo a,ho,abbiamo,sara,sarai,verra,verrai,la sua richiesta,la tua richiesta,stiamo',
    ),
    alone: of(
      'ti trasferisco,la trasferisco,trasferendo,trasferirti,trasferirla,ti passo,le passo,la passo,ti metto in contatto,la metto in contatto,metterti in contatto,metterla in contatto,ti collego,la collego,collegandoti,collegandola,trasferito,trasferita,inoltrato,inoltrata,la inoltro,ti inoltro,la trasferiro,ti trasferiro,la mettero in contatto,ti mettero in contatto,ti reindirizzo,la reindirizzo',
    ),
    deed: of('trasfer,inoltr,pass,avvis,inform,segnal,colleg,contatt,chiam,coinvolg,chied,reindirizz,escal'),
    who: of(
      'agente,umano,umana,collega,colleghi,consulente,rappresentante,specialista,team,squadra,qualcuno,operatore,operatrice,persona,responsabile,supervisore,addetto,addetta,esperto',
    ),
    will: of(
      'ti contattera,la contattera,vi contattera,ti rispondera,le rispondera,ti richiamera,la richiamera,ti aiutera,la aiutera,ti assistera,la assistera,prendera in carico,si mettera in contatto,si occupera,proseguira,continuera,ti scrivera,le scrivera,subentrera,la ricontattera,ti ricontattera,rispondera,risponde qui,continua qui',
    ),
    unless: of('se,non,vuole,vuoi,desidera,desideri,posso,preferisce,preferisci'),
  },
  nl: {
    i: of(
      'ik ga,ik zal,ik,we gaan,we zullen,wij zullen,laat me,laat mij,u wordt,je wordt,uw vraag wordt,je vraag wordt,wij',
    ),
    alone: of(
      'verbind je door,verbind u door,je doorverbinden,u doorverbinden,doorverbonden,draag je over,draag u over,je overdragen,u overdragen,verbind je met,verbind u met,je verbinden,u verbinden,breng je in contact,breng u in contact,je in contact brengen,u in contact brengen,zet je door,zet u door,je doorzetten,u doorzetten,doorgestuurd,doorgezet,stuur je door,stuur u door,escaleer',
    ),
    deed: of(
      'verbind,doorverbind,doorstu,stuur,draag,geef,doorge,overdrag,informeer,laat,vraag,schakel,meld,waarschuw,zet,neem contact op met,breng',
    ),
    who: of(
      "medewerker,collega,collega's,mens,agent,adviseur,vertegenwoordiger,specialist,team,iemand,persoon,leidinggevende,expert",
    ),
    will: of(
      'neemt contact,zal contact,gaat contact,neemt het over,neemt dit over,zal u,zal je,helpt u verder,helpt je verder,gaat u,gaat je,komt bij u terug,komt bij je terug,komt erop terug,belt u,belt je,antwoordt,reageert,pakt dit op,zal reageren,zal overnemen,gaat hier,gaat zo,gaat verder,gaat dit',
    ),
    unless: of('als,niet,geen,wilt,wil je,kan,zal ik,mag ik,indien'),
  },
  pl: {
    i: of(
      'przekazuje,przekaze,lacze,polacze,zaraz,juz,teraz,skieruje,kieruje,zostanie,zostaniesz,przelaczam,przelacze,przekierowuje,przekieruje,prosze czekac,pozwol,poinformuje,powiadomie,zawiadomie,poprosze,przekazalem,przekazalam,zglosze',
    ),
    alone: of(
      'cie polacze,pana polacze,pania polacze,polacze cie,polacze pana,polacze pania,lacze cie,lacze pana,lacze pania,lacze z,polacze z,przelaczam cie,przelaczam pana,przelaczam pania,przelaczam do,przelacze cie,przelacze pana,przelacze pania,przekieruje cie,przekieruje pana,przekieruje pania,przekierowuje,przekazuje rozmow,przekaze rozmow,przekaze cie,przekaze pana,przekaze pania,przekazuje cie,przekazuje pana,przekazuje pania,zostaniesz przekierowan,zostaniesz polaczon,zostanie pan,zostanie pani',
    ),
    deed: of('przekaz,skieruj,kieruj,poinformuj,powiadomi,zawiadomi,popros,zglosz'),
    who: of(
      'konsultant,pracownik,agent,kolega,koleg,kolezank,specjalist,zespol,kogos,ktos,czlowiek,osob,przedstawiciel,doradc,operator,kierownik,ekspert',
    ),
    will: of(
      'skontaktuje sie,odezwie sie,odpowie,oddzwoni,zadzwoni,przejmie,pomoze,zajmie sie,bedzie kontynuowac,napisze,wroci do',
    ),
    unless: of('jesli,jezeli,nie,czy,moge,chce pan,chcesz'),
  },
  tr: {
    i: of(
      'sizi,seni,simdi,hemen,talebinizi,konusmayi,gorusmeyi,mesajinizi,durumu,sorununuzu,konuyu,talebini,sohbeti,ben,bunu',
    ),
    alone: of(
      'aktariyorum,aktaracagim,bagliyorum,baglayacagim,yonlendiriyorum,yonlendirecegim,devrediyorum,devredecegim,aktardim,bagladim,yonlendirdim,iletiyorum,iletecegim,ilettim,aktariliyorsunuz,yonlendiriliyorsunuz,baglaniyorsunuz,aktarilacaksiniz,yonlendirileceksiniz',
    ),
    deed: of('bildir,haber,sorac'),
    who: of('temsilci,yetkili,calisan,arkadas,uzman,ekip,ekib,biri,insan,danisman,operator,meslektas,yonetici'),
    will: of(
      'sizinle iletisime,seninle iletisime,iletisime gececek,size donecek,size donus,donus yapacak,yardimci olacak,sizi arayacak,devralacak,devam edecek,cevap verecek,yanitlayacak,ilgilenecek,yazacak,yanit verecek,donecek',
    ),
    unless: of('isterseniz,istersen,eger,ister misiniz,ister misin,degil,edemem,edemiyorum,aktaramam,baglayamam'),
  },
  ru: {
    i: of(
      'я,сейчас,сеичас,мы,позвольте,уже,вас,вы,ваш запрос,ваше обращение,передам,передаю,переведу,перевожу,соединю,соединяю,переключаю,переключу,направлю,сообщу,позову,подключу,подключаю,минуту',
    ),
    alone: of(
      'переведу вас,перевожу вас,вас переведу,вас перевожу,переведу на,перевожу на,соединю вас,соединяю вас,вас соединю,вас соединяю,соединю с,соединяю с,переключаю вас,переключу вас,вас переключ,переключаю на,переключу на,передам вас,передаю вас,передам ваш,передаю ваш,передал ваш,передала ваш,передаю диалог,передам диалог,вас соединят,вас переведут,будете переведены,вы будете соединены,подключаю специалиста,подключу специалиста',
    ),
    deed: of('перед,перевед,перевож,направ,сообщ,позову,подключ,увед,попрошу,обращусь'),
    who: of(
      'оператор,сотрудник,коллег,агент,специалист,менеджер,консультант,человек,представител,команд,кто-то,кто-нибудь,эксперт,поддержк,руководител',
    ),
    will: of(
      'свяжется,свяжутся,ответит,ответят,перезвонит,позвонит,поможет,продолжит,возьмет,займется,напишет,подключится,вернется к вам',
    ),
    unless: of('если,не,могу,хотите,хочешь,желаете'),
  },
  ar: {
    i: of('س,سوف,سأ,ساقوم,سأقوم,جاري,جار,يتم,سيتم,تم,دعني,اسمح لي,أقوم,اقوم,لقد,الآن,الان'),
    alone: of(
      'سأحولك,ساحولك,سأقوم بتحويلك,ساقوم بتحويلك,تحويلك,توصيلك,سأوصلك,ساوصلك,نقلك الى,نقلك إلى,تحويل المحادثة,تحويل محادثتك,احولك,أحولك,سنحولك,تحويل طلبك,بتصعيد,تصعيد',
    ),
    deed: of(
      'تحويل,احال,إحال,ابلاغ,إبلاغ,سأبلغ,سابلغ,اخبار,إخبار,سأخبر,ساخبر,سأطلب,ساطلب,بإبلاغ,بابلاغ,بتحويل,بإحال,باحال,إيصال,توصيل',
    ),
    who: of('موظف,زميل,وكيل,ممثل,مختص,متخصص,الفريق,فريق,شخص,بشري,مستشار,مسؤول,مشرف,أحد,احد,خبير,الدعم'),
    will: of(
      'سيتواصل,سوف يتواصل,سيتصل,سوف يتصل,سيرد,سوف يرد,سيساعدك,سوف يساعدك,سيتابع,سيتولى,سوف يتولى,سيكمل,سيجيبك,سيعود اليك,سيعود إليك',
    ),
    unless: of('اذا,إذا,لا,لن,هل,يمكنني,ان اردت,إن أردت'),
  },
  zh: {
    i: of('我,我们,我們,正在,马上,馬上,现在,現在,为您,為您,将,將,请稍,請稍,您'),
    alone: of(
      '转接,轉接,转人工,轉人工,转给人工,轉給人工,转交,轉交,转给,轉給,帮您转,幫您轉,为您转,為您轉,移交,接通人工,升级处理,升級處理',
    ),
    deed: of('通知,告诉,告訴,联系,聯繫,联络,聯絡,反馈,反饋,请来,請來,安排,找'),
    who: of('人工,客服,同事,工作人员,工作人員,专员,專員,专家,專家,团队,團隊,真人,经理,經理,顾问,顧問,代表'),
    will: of(
      '会联系,會聯繫,会与您,會與您,会跟您,會跟您,会为您,會為您,会尽快,會盡快,将联系,將聯繫,将与您,將與您,将为您,將為您,会回复,會回覆,会继续,會繼續,会接手,會接手,会给您,會給您,来帮助您,來幫助您,会在,會在,继续为您,繼續為您',
    ),
    unless: of('如果,不,没,沒,若,是否,需要我,要不要,可以为,可以為'),
  },
  ja: {
    i: of('お,ご,担当,オペレーター,スタッフ,私,ただいま,これから,すぐに,今,有人,人間'),
    alone: of(
      'おつなぎします,お繋ぎします,おつなぎいたします,お繋ぎいたします,つなぎます,繋ぎます,転送します,転送いたします,引き継ぎます,引き継ぎいたします,引継ぎます,引き継がせて,代わります,エスカレーションします,エスカレーションいたします,取り次ぎます,取り次ぎいたします,お取り次ぎ',
    ),
    deed: of(
      '連絡します,連絡いたします,伝えます,お伝えします,申し伝えます,報告します,確認させます,共有します,共有いたします',
    ),
    who: of('担当,オペレーター,スタッフ,同僚,有人,人間,専門,チーム,係,責任者,上司'),
    will: of(
      'からご連絡,から連絡,からお電話,がご対応,が対応,がお手伝い,がご案内,が引き継ぎ,がお答え,から返信,からご返信,よりご連絡,より連絡,で対応いたします,で対応します,がこちらで,お返事いたします,お返事します',
    ),
    unless: of('場合は,ご希望でしたら,よろしければ,できません,出来ません,ましょうか,もし,いたしかねます'),
  },
}
