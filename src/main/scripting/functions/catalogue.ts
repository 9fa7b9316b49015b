/**
 * Names of all functions of the interface, by section of its catalogue (docs/interface/script-runtime.md 8): what the library has to have. Which of
 * them are missing is said at the end of `docs/functions.md`.
 */
export interface CatalogueSection {
  readonly section: string;
  readonly title: string;
  readonly names: readonly string[];
}

function section(number: string, title: string, names: string): CatalogueSection {
  return { section: number, title, names: names.trim().split(/\s+/) };
}

export const catalogue: readonly CatalogueSection[] = [
  section(
    '14.1',
    'Strings',
    `upper lower capitalize titleize length trim clean concat join split splitRegex substring indexOf contains startsWith endsWith
    strReplace replace abbr random base64encode base64decode urlencode formurlencode escapeHtml unescapeHtml escapeXml
    escapeJavascript escapeJson stripHtml localize stopWords`,
  ),
  section(
    '14.2',
    'Logic and comparison',
    `equal eq lt lte gt gte and or not empty one coalesce coalesceObjects isEntity isCollection isLocale isValidUuid isValidEmail`,
  ),
  section(
    '14.3',
    'Numbers',
    `add subt mult quot div mod min max round floor ceil num long int rint doubleSum intSum numberFormat parseNumber`,
  ),
  section('14.4', 'Dates', 'dateFormat parseDate dateAdd toDate weekDays setLocale'),
  section(
    '14.5',
    'Collections',
    'first last nth size merge mergeUnique complement unwind extract sort mergeProperties',
  ),
  section(
    '14.6',
    'Conversion and data formats',
    `toJson fromJson toGraphObject fromXml xml xpath fromCsv toCsv getCsvHeaders toExcel fromExcel bson mongodb hash md5 hmac
    encrypt decrypt setEncryptionKey barcode`,
  ),
  section(
    '14.7',
    'Objects and database',
    `create getOrCreate createOrUpdate find search findPrivileged findRelationship get getOrNull set setPrivileged delete
    createRelationship incoming outgoing hasRelationship hasIncomingRelationship hasOutgoingRelationship getRelationships
    getIncomingRelationships getOutgoingRelationships getRelationshipTypes cypher remoteCypher searchFulltext
    searchRelationshipsFulltext instantiate prefetch prefetch2 addLabels removeLabels rollbackTransaction disableCascadingDelete
    enableCascadingDelete disableUuidValidation disablePreventDuplicateRelationships unlockReadonlyPropertiesOnce
    unlockSystemPropertiesOnce jdbc`,
  ),
  section(
    '14.8',
    'Access control and security',
    `grant revoke isAllowed addToGroup removeFromGroup isInGroup copyPermissions login createAccessToken
    createAccessAndRefreshToken confirmationKey randomUuid pdfEncrypt`,
  ),
  section(
    '14.9',
    'Scripting and control',
    `call callPrivileged evaluateScript store retrieve requestStorePut requestStoreGet requestStoreHas requestStoreDelete
    requestStoreGetKeys applicationStorePut applicationStoreGet applicationStoreHas applicationStoreDelete applicationStoreGetKeys
    invalidateCacheValue getCacheValue hasCacheValue timer sleep schedule jobInfo jobList error assert hasError getErrors
    clearError clearErrors print log stackDump setLogLevel flow`,
  ),
  section(
    '14.10',
    'Files',
    `getContent setContent appendContent copyFileContents createFolderPath createArchive createZip unarchive read write append exec
    execBinary pdf updateVideoInfo convertVideo cancelConversion grabFrame makePosterImage
    getThumbnail cropImage convertImage imageUrl`,
  ),
  section(
    '14.11',
    'Pages',
    `include includeChild render setDetailsObject getSource importHtml insertHtml replaceDomChild removeDomChild importCss
    hasCssClass template`,
  ),
  section(
    '14.12',
    'HTTP',
    `GET HEAD POST PUT PATCH DELETE POSTMultiPart FETCH addHeader clearHeaders validateCertificates setResponseHeader
    removeResponseHeader setResponseCode getRequestHeader getCookie setCookie getSessionAttribute setSessionAttribute
    removeSessionAttribute`,
  ),
  section('14.13', 'Localization', 'translate'),
  section(
    '14.14',
    'Schema and system',
    `propertyInfo typeInfo enumInfo functionInfo ancestorTypes inheritingTypes config getenv svcEnv systemInfo serverlog
    getAvailableServerlogs maintenance logEvent changelog userChangelog geocode disableNotifications enableNotifications sendEvent
    broadcastEvent mqttPublish mqttSubscribe mqttUnsubscribe`,
  ),
  section(
    '14.15',
    'Mail',
    `sendPlaintextMail sendHtmlMail mailBegin mailSetFrom mailSetSubject mailSetHtmlContent mailSetTextContent mailAddTo mailAddCc
    mailAddBcc mailAddReplyTo mailClearTo mailClearCc mailClearBcc mailClearReplyTo mailSetBounceAddress mailClearBounceAddress
    mailAddAttachment mailClearAttachments mailAddMimePart mailClearMimeParts mailAddHeader mailRemoveHeader mailClearHeaders
    mailSetInReplyTo mailClearInReplyTo mailSaveOutgoingMessage mailGetLastOutgoingMessage mailSend mailHasError mailGetError
    mailSelectConfig mailSetManualConfig mailResetManualConfig mailEncodeText mailDecodeText`,
  ),
  section(
    '14.16',
    'Geo',
    `latLonToUtm utmToLatLon importGpx readShapefile wktToGeometry wktToPolygons makePolygonValid getWfsData getWcsData
    getWcsHistogram coordsToPoint coordsToMultipoint coordsToLineString coordsToPolygon azimuth distance lineSegment
    lineStringsToPolygons convertGeometry getCoordinates`,
  ),
];
