"""What KEDA's Redis Streams scaler makes of a consumer group's lag, with `lagCount` set: see README.md."""

import math
from dataclasses import dataclass

from redis import Redis
from redis.exceptions import ResponseError


@dataclass(frozen=True)
class Scaler:
    redis: Redis
    stream: str
    group: str
    lag_count: int = 5  # lagCount: the lag that one replica is to have
    min_replicas: int = 0
    max_replicas: int = 10

    def metric(self) -> int:
        try:
            groups = self.redis.xinfo_groups(self.stream)
        except ResponseError as error:
            if str(error) == "no such key":
                return 0
            raise
        for group in groups:
            if group["name"].decode() == self.group:
                # go-redis, which KEDA reads it with, gives -1 for null (older versions 0).
                return -1 if group["lag"] is None else group["lag"]
        return self.redis.xlen(self.stream)

    def replicas(self) -> int:
        """Not active at a metric of 0 or less: scaled down to the minimum. Else as the Horizontal Pod Autoscaler."""
        metric = self.metric()
        if metric <= 0:
            return self.min_replicas
        return max(1, self.min_replicas, min(math.ceil(metric / self.lag_count), self.max_replicas))
