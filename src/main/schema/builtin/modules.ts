/** Mail, feeds, messaging, documents, chat (docs/interface/builtin-types.md 9). */
import type { RelationDefinition, TraitDefinition } from '../model/definitions.js';
import type { PropertyDefinition } from '../model/property.js';
import {
  computed,
  falseByDefault,
  key,
  keys,
  namesOf,
  oneOf,
  publicAndUi,
  relation,
  SOURCE_TO_TARGET,
  str,
  trait,
  words,
} from './rows.js';

/** A type that shows all its keys, `more` being its relation properties, in `public` and `ui`. */
function open(
  name: string,
  inherits: readonly string[],
  properties: readonly PropertyDefinition[],
  more = '',
): TraitDefinition {
  return trait(name, inherits, properties, publicAndUi([...namesOf(properties), ...words(more)]));
}

const emailMessage = [
  ...keys('String', 'subject* from* fromMail* to* cc* bcc* replyTo* content htmlContent folder* header'),
  ...keys('String', 'messageId* inReplyTo*'),
  ...keys('Date', 'receivedDate* sentDate*'),
];

const mailbox = [
  ...keys('String', 'host*! user*!'),
  key('Encrypted', 'password'),
  oneOf('mailProtocol', 'pop3,imaps', '*!'),
  key('Integer', 'port', '*'),
  key('StringArray', 'folders', '*'),
  str('overrideMailEntityType', '*'),
  computed('availableFoldersOnServer', 'mailboxFolders'),
];

const dataFeed = [
  str('url', '*!'),
  ...keys('String', 'feedType description'),
  ...keys('Long', 'updateInterval maxAge'),
  key('Date', 'lastUpdated'),
  key('Integer', 'maxItems'),
];

/** What documents fetched from elsewhere have in common. */
const fetched = [key('Long', 'checksum', 'r'), key('Integer', 'cacheForSeconds'), key('Integer', 'version', 'r')];

const mqttClient = [
  str('mainBrokerURL', '!'),
  key('StringArray', 'fallbackBrokerURLs'),
  key('Integer', 'qos', '', { defaultValue: '0' }),
  key('Boolean', 'isEnabled'),
  key('Boolean', 'isConnected', 'r'),
  ...keys('String', 'username password'),
];

const xmppClient = [
  computed('xmppHandle', 'xmppHandle', { indexed: true }),
  ...keys('String', 'xmppUsername* xmppPassword xmppService xmppHost'),
  key('Integer', 'xmppPort'),
  oneOf('presenceMode', 'available,away,chat,dnd,xa'),
  ...keys('Boolean', 'isEnabled isConnected'),
];

export const moduleTraits: readonly TraitDefinition[] = [
  trait('EMailMessage', [], emailMessage, {
    public: namesOf(emailMessage),
    ui: [...namesOf(emailMessage), ...words('attachedFiles mailbox')],
  }),
  trait('Mailbox', [], mailbox, { ui: namesOf(mailbox) }),
  trait('DataFeed', [], dataFeed, {
    public: words('url feedType description items'),
    ui: [...namesOf(dataFeed), 'items'],
  }),
  open(
    'FeedItem',
    [],
    [
      str('url', '*!'),
      ...keys('String', 'author comments description'),
      ...keys('Date', 'pubDate updatedDate'),
      ...fetched,
    ],
    'contents enclosures feed',
  ),
  open('FeedItemContent', [], keys('String', 'mode itemType value'), 'item'),
  open('FeedItemEnclosure', [], [...keys('String', 'url enclosureType'), key('Long', 'enclosureLength')], 'item'),
  open('RemoteDocument', [], [...keys('String', 'url contentType'), ...fetched]),
  open('MessageClient', [], [], 'subscribers'),
  open('MessageSubscriber', [], keys('String', 'topic* callback'), 'clients'),
  open('KafkaClient', ['MessageClient'], [key('StringArray', 'servers'), str('groupId'), ...falseByDefault('enabled')]),
  open('PulsarClient', ['MessageClient'], [key('StringArray', 'servers'), ...falseByDefault('enabled')]),
  open('MQTTClient', ['MessageClient'], mqttClient),
  open('ODFExporter', [], [], 'resultDocument documentTemplate transformationProvider'),
  open('ODSExporter', ['ODFExporter'], []),
  open('ODTExporter', ['ODFExporter'], []),
  open('XMPPClient', [], xmppClient, 'pendingRequests'),
  open(
    'XMPPRequest',
    [],
    [...keys('String', 'sender* content'), oneOf('requestType', 'get,set,result,error')],
    'client',
  ),
];

const owned = { cascadingDelete: SOURCE_TO_TARGET } as const;

export const moduleRelations: readonly RelationDefinition[] = [
  relation('MailboxCONTAINS_EMAILMESSAGESEMailMessage', 'Mailbox', 'CONTAINS_EMAILMESSAGES', 'EMailMessage', '1:*', {
    targetKey: 'emails',
    sourceKey: 'mailbox',
  }),
  relation('EMailMessageHAS_ATTACHMENTFile', 'EMailMessage', 'HAS_ATTACHMENT', 'File', '1:*', {
    ...owned,
    targetKey: 'attachedFiles',
  }),
  relation('DataFeedHAS_FEED_ITEMSFeedItem', 'DataFeed', 'HAS_FEED_ITEMS', 'FeedItem', '1:*', {
    ...owned,
    targetKey: 'items',
    sourceKey: 'feed',
  }),
  relation('FeedItemFEED_ITEM_CONTENTSFeedItemContent', 'FeedItem', 'FEED_ITEM_CONTENTS', 'FeedItemContent', '1:*', {
    ...owned,
    targetKey: 'contents',
    sourceKey: 'item',
  }),
  relation(
    'FeedItemFEED_ITEM_ENCLOSURESFeedItemEnclosure',
    'FeedItem',
    'FEED_ITEM_ENCLOSURES',
    'FeedItemEnclosure',
    '1:*',
    {
      ...owned,
      targetKey: 'enclosures',
      sourceKey: 'item',
    },
  ),
  relation('MessageClientHASMessageSubscriber', 'MessageClient', 'HAS_SUBSCRIBER', 'MessageSubscriber', '*:*', {
    targetKey: 'subscribers',
    sourceKey: 'clients',
  }),
  relation('ODFExporterEXPORTS_TOFile', 'ODFExporter', 'EXPORTS_TO', 'File', '1:1', { targetKey: 'resultDocument' }),
  relation('ODFExporterUSES_TEMPLATEFile', 'ODFExporter', 'USES_TEMPLATE', 'File', '1:1', {
    targetKey: 'documentTemplate',
  }),
  relation(
    'ODFExporterGETS_TRANSFORMATION_FROMVirtualType',
    'ODFExporter',
    'GETS_TRANSFORMATION_FROM',
    'VirtualType',
    '1:1',
    {
      targetKey: 'transformationProvider',
    },
  ),
  relation('XMPPClientRequest', 'XMPPClient', 'PENDING_REQUEST', 'XMPPRequest', '1:*', {
    ...owned,
    targetKey: 'pendingRequests',
    sourceKey: 'client',
  }),
];
