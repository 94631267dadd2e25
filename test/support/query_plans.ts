// Plans of PostgreSQL as `explain (format json)` prints them.

export interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
  "Actual Loops": number;
  Plans?: PlanNode[];
}

/** The node and all nodes below it. */
export const listPlanNodes = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(listPlanNodes)];
