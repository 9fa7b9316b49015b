export { Cluster, type CoordinatorWork, type MemberState } from './cluster.js';
