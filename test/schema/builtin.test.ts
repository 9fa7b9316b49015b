import { describe, expect, it } from 'vitest';
import { builtinRelations, builtinTraits, computedNames } from '../../src/main/schema/builtin/index.js';
import type { PropertyDefinition } from '../../src/main/schema/model/property.js';

const NODE_BASE = ['PropertyContainer', 'GraphObject', 'NodeInterface', 'AccessControllable'];
const traits = new Map(builtinTraits.map((t) => [t.name, t]));

/** All traits of a type, base first, depth first, its own last. */
function lineage(name: string): string[] {
  const out = name === 'RelationshipInterface' ? ['PropertyContainer', 'GraphObject'] : [...NODE_BASE];
  const visit = (n: string): void => {
    if (out.includes(n)) return;
    for (const parent of traits.get(n)?.inherits ?? []) visit(parent);
    out.push(n);
  };
  visit(name);
  return out;
}

interface Side {
  readonly on: string;
  readonly key: string;
  readonly relation: string;
  readonly related: string;
  readonly many: boolean;
}

const sides: Side[] = builtinRelations.flatMap((r) => [
  ...(r.targetKey === undefined
    ? []
    : [{ on: r.source, key: r.targetKey, relation: r.name, related: r.target, many: r.targetMultiplicity === '*' }]),
  ...(r.sourceKey === undefined
    ? []
    : [{ on: r.target, key: r.sourceKey, relation: r.name, related: r.source, many: r.sourceMultiplicity === '*' }]),
]);

/** Relation properties of a type, inherited ones included. */
const sidesOf = (type: string): Side[] => {
  const all = new Set(lineage(type));
  return sides.filter((s) => all.has(s.on));
};

const propertiesOf = (type: string): Map<string, PropertyDefinition> =>
  new Map(lineage(type).flatMap((n) => (traits.get(n)?.properties ?? []).map((p) => [p.name, p] as const)));

const property = (type: string, name: string): PropertyDefinition | undefined => propertiesOf(type).get(name);

/** Keys of a view in output order, as the compiler adds them up. */
const viewOf = (type: string, view: string): string[] => [
  ...new Set(lineage(type).flatMap((n) => traits.get(n)?.views[view] ?? [])),
];

/**
 * The relation properties of the reference: docs/interface/schema.md 1.2, 2 and every `→T` and `→T[]` of section 20, with the
 * definitions of the other columns that are relations by name (`parent`, `subscribers`, ...).
 */
const RELATION_KEYS = `
NodeInterface: owner Principal, grantees Principal[]
Principal: groups Group[], ownedNodes NodeInterface[], grantedNodes NodeInterface[]
User: homeDirectory Folder, workingDirectory Folder, img Image
Group: members Principal[]
AbstractSchemaNode: schemaProperties SchemaProperty[], schemaMethods SchemaMethod[], schemaViews SchemaView[]
SchemaNode: relatedTo SchemaRelationshipNode[], relatedFrom SchemaRelationshipNode[], schemaGrants SchemaGrant[]
SchemaProperty: schemaNode AbstractSchemaNode, schemaViews SchemaView[], excludedViews SchemaView[]
SchemaView: schemaNode AbstractSchemaNode, schemaProperties SchemaProperty[]
SchemaMethod: schemaNode AbstractSchemaNode, parameters SchemaMethodParameter[]
SchemaMethodParameter: schemaMethod SchemaMethod
SchemaRelationshipNode: sourceNode SchemaNode, targetNode SchemaNode
SchemaGrant: principal Principal, schemaNode SchemaNode
AbstractFile: parent Folder, storageConfiguration StorageConfiguration
File: fileParent Folder
Image: imageParent Folder, imageOfUser User, thumbnails Image[], originalImage Image, posterImageOfVideo VideoFile
Folder: children AbstractFile[], files File[], folders Folder[], images Image[], folderParent Folder
Folder: homeFolderOfUser User, workFolderOfUsers User[]
Linkable: linkingElements LinkSource[]
LinkSource: linkable Linkable
VideoFile: convertedVideos VideoFile[], originalVideo VideoFile, posterImage Image
StorageConfiguration: entries StorageConfigurationEntry[], folders AbstractFile[]
StorageConfigurationEntry: configuration StorageConfiguration
DOMNode: parent DOMNode, children DOMNode[], sharedComponent DOMNode, syncedNodes DOMNode[], ownerDocument Page
DOMNode: reloadingActions ActionMapping[], failureActions ActionMapping[], flow FlowContainer
DOMNode: successNotificationActions ActionMapping[], failureNotificationActions ActionMapping[]
DOMElement: reloadSources DOMElement[], reloadTargets DOMElement[], triggeredActions ActionMapping[]
DOMElement: parameterMappings ParameterMapping[]
Page: elements DOMNode[], paths PagePath[], sites Site[]
PagePath: page Page, parameters PagePathParameter[]
PagePathParameter: path PagePath
Site: pages Page[]
ActionMapping: triggerElements DOMElement[], successTargets DOMNode[], failureTargets DOMNode[]
ActionMapping: successNotificationElements DOMNode[], failureNotificationElements DOMNode[]
ActionMapping: parameterMappings ParameterMapping[]
ParameterMapping: actionMapping ActionMapping, inputElement DOMElement
CssRule: childRules CssRule[], parentRule CssRule, selectors CssSelector[]
CssDeclaration: rule CssRule
CssSemanticClass: selectors CssSelector[]
LogObject: logEvents LogEvent[]
LogSubject: logEvents LogEvent[]
VirtualType: properties VirtualProperty[]
VirtualProperty: virtualType VirtualType
EMailMessage: attachedFiles File[], mailbox Mailbox
Mailbox: emails EMailMessage[]
DataFeed: items FeedItem[]
FeedItem: contents FeedItemContent[], enclosures FeedItemEnclosure[], feed DataFeed
FeedItemContent: item FeedItem
FeedItemEnclosure: item FeedItem
MessageClient: subscribers MessageSubscriber[]
MessageSubscriber: clients MessageClient[]
ODFExporter: resultDocument File, documentTemplate File, transformationProvider VirtualType
XMPPClient: pendingRequests XMPPRequest[]
XMPPRequest: client XMPPClient
FlowBaseNode: flowContainer FlowContainer, dataSource FlowDataSource
FlowNode: isStartNodeOfContainer FlowContainer, prev FlowNode[], next FlowNode, prevForEach FlowForEach
FlowDataSource: dataTarget FlowBaseNode[], exceptionHandler FlowExceptionHandler
FlowCondition: conditions FlowCondition[], logicTargets FlowBaseNode[]
FlowContainer: flowPackage FlowContainerPackage, flowNodes FlowBaseNode[], startNode FlowNode, repeaterNodes DOMNode[]
FlowContainer: flowConfigurations FlowContainerConfiguration[], activeConfiguration FlowContainerConfiguration
FlowContainerPackage: parent FlowContainerPackage, packages FlowContainerPackage[], flows FlowContainer[]
FlowContainerConfiguration: flow FlowContainer, activeForFlow FlowContainer
FlowAction: exceptionHandler FlowExceptionHandler
FlowLog: exceptionHandler FlowExceptionHandler
FlowScriptCondition: exceptionHandler FlowExceptionHandler, scriptSource FlowDataSource
FlowAggregate: startValue FlowDataSource
FlowCall: flow FlowContainer, parameters FlowParameterInput[]
FlowParameterInput: call FlowCall[]
FlowCollectionDataSource: dataSources FlowDataSource[]
FlowComparison: valueSource FlowDataSource, dataSources FlowDataSource[], decisions FlowDecision[]
FlowDecision: condition FlowCondition, trueElement FlowNode, falseElement FlowNode
FlowExceptionHandler: handledNodes FlowBaseNode[]
FlowFilter: condition FlowCondition
FlowForEach: loopBody FlowNode
FlowFork: loopBody FlowNode
FlowForkJoin: exceptionHandler FlowExceptionHandler
FlowGetProperty: nodeSource FlowDataSource, propertyNameSource FlowDataSource
FlowIsTrue: dataSources FlowDataSource[], condition FlowCondition, decision FlowDecision[]
FlowNotNull: dataSources FlowDataSource[], condition FlowCondition, decision FlowDecision[]
FlowNotEmpty: dataSources FlowDataSource[], condition FlowCondition, decision FlowDecision[]
FlowKeyValue: objectDataTargets FlowObjectDataSource[]
FlowObjectDataSource: keyValueSources FlowKeyValue[]
FlowReturn: exceptionHandler FlowExceptionHandler
FlowSwitch: default FlowNode, cases FlowSwitchCase[]
FlowSwitchCase: switch FlowSwitch
`
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [type = '', rest = ''] = line.split(': ');
    return rest.split(', ').map((item) => {
      const [key = '', related = ''] = item.split(' ');
      return { type, key, related: related.replace('[]', ''), many: related.endsWith('[]') };
    });
  });

describe('built-in tables', () => {
  it('have no name twice', () => {
    const names = [...builtinTraits, ...builtinRelations].map((t) => t.name);
    expect(names.filter((n, i) => names.indexOf(n) !== i)).toEqual([]);
  });

  it('name types and properties in the allowed form', () => {
    const names = [
      ...builtinTraits.flatMap((t) => [t.name, ...t.properties.map((p) => p.name), ...Object.keys(t.views)]),
      ...builtinRelations.flatMap((r) => [r.name, r.relType, r.sourceKey, r.targetKey]),
      ...builtinRelations.flatMap((r) => (r.properties ?? []).map((p) => p.name)),
    ].filter((n) => n !== undefined);
    expect(names.filter((n) => !/^[A-Za-z_][\w-]*$/.test(n))).toEqual([]);
  });

  it('inherit and relate only what exists', () => {
    const missing = [
      ...builtinTraits.flatMap((t) => t.inherits.map((i) => [t.name, i])),
      ...builtinRelations.flatMap((r) => [r.source, r.target].map((end) => [r.name, end])),
    ].filter(([, name]) => !traits.has(name ?? ''));
    expect(missing).toEqual([]);
  });

  it('declare no property twice on one trait, nor a value and a relation of one name on one type', () => {
    const twice: string[] = [];
    for (const t of builtinTraits) {
      const own = t.properties.map((p) => p.name);
      twice.push(...own.filter((n, i) => own.indexOf(n) !== i).map((n) => `${t.name}.${n}`));
      const related = sidesOf(t.name).map((s) => s.key);
      const values = propertiesOf(t.name);
      twice.push(...related.filter((n, i) => related.indexOf(n) !== i || values.has(n)).map((n) => `${t.name}.${n}`));
    }
    expect(twice).toEqual([]);
  });

  it('redeclare inherited properties only where the reference does', () => {
    const redeclared = builtinTraits.flatMap((t) =>
      t.properties
        .filter((p) =>
          lineage(t.name).some((n) => n !== t.name && traits.get(n)?.properties.some((q) => q.name === p.name)),
        )
        .map((p) => `${t.name}.${p.name}`),
    );
    expect(redeclared.sort()).toEqual([
      'AbstractFile.name',
      'Comment.contentType',
      'FlowContainer.name',
      'FlowContainerPackage.name',
      'Group.name',
      'PagePath.name',
      'SchemaNode.name',
      'StorageConfiguration.name',
    ]);
  });

  it('show only keys that exist in views, each once', () => {
    const wrong: string[] = [];
    for (const t of builtinTraits) {
      const known = new Set([...propertiesOf(t.name).keys(), ...sidesOf(t.name).map((s) => s.key)]);
      for (const [view, list] of Object.entries(t.views)) {
        wrong.push(
          ...list.filter((k, i) => !known.has(k) || list.indexOf(k) !== i).map((k) => `${t.name}.${view}.${k}`),
        );
      }
    }
    expect(wrong).toEqual([]);
  });

  it('point IdNotion and Count at relation properties, Computed at known computations', () => {
    const wrong: string[] = [];
    const used = new Set<string>();
    for (const t of builtinTraits) {
      for (const p of t.properties) {
        const relation = sidesOf(t.name).find((s) => s.key === p.format);
        if (p.propertyType === 'IdNotion' && relation === undefined) wrong.push(`${t.name}.${p.name}`);
        if (p.propertyType === 'Count' && relation?.many !== true) wrong.push(`${t.name}.${p.name}`);
        if (p.propertyType === 'Computed') used.add(p.format ?? '');
        if (p.propertyType === 'Enum' && (p.format ?? '') === '') wrong.push(`${t.name}.${p.name}`);
      }
    }
    expect(wrong).toEqual([]);
    expect([...used].sort()).toEqual([...computedNames].sort());
  });

  it('mark relations as built-in and give their notions keys of the related type', () => {
    expect(builtinRelations.filter((r) => r.builtin !== true)).toEqual([]);
    const wrong = builtinRelations.flatMap((r) =>
      [
        { notion: r.sourceNotion, of: r.source },
        { notion: r.targetNotion, of: r.target },
      ]
        .filter(({ notion }) => notion !== undefined)
        .flatMap(({ notion, of }) => (notion ?? '').split(', ').filter((k) => property(of, k) === undefined)),
    );
    expect(wrong).toEqual([]);
  });
});

describe('relation properties of the reference', () => {
  it.each(RELATION_KEYS)('$type: $key is $related', ({ type, key, related, many }) => {
    const found = sidesOf(type).filter((s) => s.key === key);
    expect(found.map((s) => ({ related: s.related, many: s.many }))).toEqual([{ related, many }]);
  });

  it('are all there are', () => {
    const expected = new Set(RELATION_KEYS.flatMap(({ type, key }) => sidesOf(type).filter((s) => s.key === key)));
    expect(sides.filter((s) => !expected.has(s)).map((s) => `${s.on}.${s.key}`)).toEqual([]);
  });
});

describe('single facts', () => {
  it('views of a user (docs/interface/security.md 1.2)', () => {
    expect(viewOf('User', 'public')).toEqual(['id', 'type', 'name', 'isUser']);
    expect(new Set(viewOf('User', 'ui'))).toEqual(
      new Set(
        `id type name isUser blocked confirmationKey homeDirectory workingDirectory skipSecurityRelationships img eMail
         groups isAdmin locale password proxyUrl proxyUsername proxyPassword publicKey sessionIds refreshTokens
         twoFactorToken isTwoFactorUser twoFactorConfirmed passwordAttempts passwordChangeDate lastLoginDate owner hidden
         createdBy createdDate lastModifiedDate visibleToPublicUsers visibleToAuthenticatedUsers`.split(/\s+/),
      ),
    );
  });

  it('views of a file (docs/interface/files.md 1.3)', () => {
    expect(viewOf('File', 'public').sort()).toEqual(
      `checksum contentType dontCache id includeInFrontendExport indexed isExternal isFile isMounted isTemplate
       lastSeenMounted name owner parentId path size type url visibleToAuthenticatedUsers
       visibleToPublicUsers`.split(/\s+/),
    );
    const ui = new Set(viewOf('File', 'ui'));
    const base = viewOf('GenericNode', 'ui');
    expect([...ui].filter((k) => !base.includes(k)).sort()).toEqual(
      `basicAuthRealm cacheForSeconds checksum contentType dontCache enableBasicAuth hasParent includeInFrontendExport
       indexed isExternal isFile isMounted isTemplate lastSeenMounted linkingElements linkingElementsIds md5 parent
       parentId path size storageConfiguration url version`.split(/\s+/),
    );
    expect(viewOf('Image', 'public')).toEqual(expect.arrayContaining(['tnMid', 'tnSmall', 'width', 'url']));
  });

  it('view schema of a type and a property', () => {
    expect(viewOf('SchemaNode', 'schema').slice(0, 3)).toEqual(['id', 'type', 'name']);
    expect(viewOf('SchemaNode', 'schema')).toEqual(expect.arrayContaining(['inheritedTraits', 'schemaGrants', 'tags']));
    expect(viewOf('SchemaProperty', 'schema').slice(3)).toEqual(traits.get('SchemaProperty')?.views['ui']);
  });

  it('secrets of principals are hidden', () => {
    for (const name of ['password', 'salt', 'twoFactorSecret']) expect(property('User', name)?.hidden).toBe(true);
    expect(property('User', 'password')?.propertyType).toBe('Password');
  });

  it('markers are constants', () => {
    const markers = { User: 'isUser', Group: 'isGroup', Image: 'isFile', Folder: 'isFolder', Div: 'isDOMNode' };
    for (const [type, name] of Object.entries(markers)) {
      expect(property(type, name)).toMatchObject({ constant: true, defaultValue: 'true', propertyType: 'Boolean' });
    }
  });

  it('keys that must not be blank', () => {
    expect(property('ResourceAccess', 'signature')).toMatchObject({ notNull: true, notBlank: true, indexed: true });
    expect(property('CorsSetting', 'requestUri')).toMatchObject({ notNull: true, notBlank: true });
    expect(property('ParameterMapping', 'parameterName')).toMatchObject({ notNull: true, notBlank: true });
    expect(property('Group', 'name')).toEqual({
      name: 'name',
      propertyType: 'String',
      indexed: true,
      notNull: true,
      unique: true,
    });
  });

  it('HTML elements have their own and the common attributes', () => {
    expect(viewOf('A', '_html_')).toEqual(expect.arrayContaining(['_html_class', '_html_href']));
    expect(property('Div', '_html_href')).toBeUndefined();
    expect(property('Form', '_html_accept-charset')?.propertyType).toBe('String');
    expect(lineage('Img').slice(4)).toEqual(['DOMNode', 'DOMElement', 'LinkSource', 'Img']);
    expect(builtinTraits.filter((t) => lineage(t.name).includes('DOMElement'))).toHaveLength(115 + 2);
  });

  it('deleting follows the reference', () => {
    const cascade = Object.fromEntries(builtinRelations.map((r) => [r.name, r.cascadingDelete ?? 0]));
    expect(cascade).toMatchObject({
      AbstractSchemaNodeHAS_PROPERTYSchemaProperty: 1,
      SchemaNodeIS_RELATED_TOSchemaRelationshipNode: 1,
      SchemaRelationshipNodeIS_RELATED_TOSchemaNode: 2,
      FolderCONTAINSAbstractFile: 0,
      ImageTHUMBNAILImage: 1,
      PageHAS_PATHPagePath: 1,
      FlowContainerConfigurationFlow: 2,
    });
  });
});
