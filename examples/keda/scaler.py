"""What KEDA's Redis Streams scaler makes of a consumer group's lag when `lagCount` is set."""

import math
from dataclasses import dataclass

from redis import Redis
from redis.exceptions import ResponseError


@dataclass(frozen=True)
class Scaler:
    redis: Redis
    stream: str
    group: str
    lag_count: int = 5  # lagCount: how many entries one replica shall have before it
    # minReplicaCount. With 0, a group whose workers are all turned off looks dead: EGG.GROUPREAP and EGG.TRIM
    # IGNOREIDLE are safe only with an idle time that is longer than the longest pause.
    min_replicas: int = 0
    max_replicas: int = 10

    def lag(self) -> int | None:
        """As the server says it. No stream is no work; without the group, the whole stream is waiting for it."""
        try:
            groups = self.redis.xinfo_groups(self.stream)
        except ResponseError as error:
            if str(error) == "no such key":
                return 0
            raise
        lags = [group["lag"] for group in groups if group["name"] == self.group.encode()]
        return lags[0] if lags else self.redis.xlen(self.stream)

    def metric(self) -> int:
        """What KEDA hands on. Its client library reads null as -1 (older ones as 0), and KEDA does not look."""
        lag = self.lag()
        return -1 if lag is None else lag

    def replicas(self) -> int:
        """With a metric of 0 or less the work is not active: down to the minimum. Else what the autoscaler reckons."""
        metric = self.metric()
        if metric <= 0:
            return self.min_replicas
        return max(1, self.min_replicas, min(math.ceil(metric / self.lag_count), self.max_replicas))
